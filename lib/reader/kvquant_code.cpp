#include "lib/reader/kvquant_code.hpp"

#include "lib/codec/half.hpp"
#include "lib/codec/weighted_levels.hpp"
#include "lib/reader/largest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kvproof {
namespace {

/// A token's numbers over all KV heads: entry g d_h + c.
std::vector<double> token_entries(const HeadVectors& vectors, const CaptureShape& shape, int token) {
    std::vector<double> out;
    for (int g = 0; g < shape.kv_heads; ++g) {
        const std::span<const double> x = vectors.at(g, token);
        out.insert(out.end(), x.begin(), x.end());
    }
    return out;
}

/// Which entries of a token are kept whole: those of largest magnitude, by rank.
std::vector<bool> outlier_flags(std::vector<double> entries, const CaptureShape& shape) {
    for (double& entry : entries) entry = std::fabs(entry);
    std::vector<bool> out(entries.size());
    for (const int i : largest(entries, kvquant_outliers(shape))) out[static_cast<std::size_t>(i)] = true;
    return out;
}

/// A token taken apart: z, which entries are kept whole, and the ranges that belong to the z.
struct CodedToken {
    std::vector<double> normalised;
    std::vector<bool> whole;
};

CodedToken key_token(const HeadVectors& keys, const CaptureShape& shape, int token,
                     const std::vector<NormalRange>& ranges) {
    std::vector<double> z = token_entries(keys, shape, token);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = ranges[i].normalised(z[i]);
    std::vector<bool> whole = outlier_flags(z, shape);
    return {std::move(z), std::move(whole)};
}

struct ValueToken {
    CodedToken coded;
    NormalRange range;
    std::uint64_t saturated = 0;
};

ValueToken value_token(const HeadVectors& values, const CaptureShape& shape, int token) {
    std::vector<double> entries = token_entries(values, shape, token);
    ValueToken out{{{}, outlier_flags(entries, shape)}, {}, 0};
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (out.coded.whole[i]) continue;
        out.saturated += nearest_half(entries[i]).saturated ? 1 : 0;
        entries[i] = std::clamp(entries[i], -largest_half, largest_half);
        low = std::min(low, entries[i]);
        high = std::max(high, entries[i]);
    }
    if (low <= high) // some entry is coded
        out.range = {nearest_half((low + high) / 2).value, nearest_half((high - low) / 2).value};
    for (double& entry : entries) entry = out.range.normalised(entry);
    out.coded.normalised = std::move(entries);
    return out;
}

/// Half of what lies beyond 99% of a channel's calibration tokens is cut off at either end.
NormalRange channel_range(std::vector<double> entries) {
    std::ranges::sort(entries);
    const std::size_t cut = entries.size() / 200;
    const double low = entries[cut];
    const double high = entries[entries.size() - 1 - cut];
    return {(low + high) / 2, (high - low) / 2};
}

/// The first token is kept whole, so it teaches nothing, unless it is the only one.
int first_taught(const CaptureShape& shape) {
    return shape.tokens > 1 ? 1 : 0;
}

/// Mean over the calibration queries of q_c^2, summed over the query heads of the KV head; 1 without queries.
double key_sensitivity(const CaptureLayer& layer, int kv_head, std::size_t channel) {
    if (layer.shape.query_heads == 0 || layer.shape.queries == 0) return 1;
    double sum = 0;
    for (int h = 0; h < layer.shape.query_heads; ++h) {
        if (layer.shape.kv_head_of(h) != kv_head) continue;
        for (int i = 0; i < layer.shape.queries; ++i) {
            const double q = layer.query(h, i)[channel];
            sum += q * q;
        }
    }
    return sum / layer.shape.queries;
}

void add_samples(std::vector<WeightedSample>& samples, const CodedToken& token,
                 const std::vector<double>& weights) {
    for (std::size_t i = 0; i < token.whole.size(); ++i)
        if (!token.whole[i] && weights[i] > 0) samples.push_back({token.normalised[i], weights[i]});
}

} // namespace

double NormalRange::normalised(double x) const {
    if (scale > 0) return (x - offset) / scale;
    return x == offset ? 0 : std::copysign(std::numeric_limits<double>::infinity(), x - offset);
}

int kvquant_outliers(const CaptureShape& shape) {
    return (shape.kv_heads * shape.dim + 99) / 100;
}

KvquantCalibration calibrate_kvquant(const CaptureLayer& calibration, int bits) {
    const CaptureShape& shape = calibration.shape;
    const HeadVectors keys(shape, calibration.k);
    const HeadVectors values(shape, calibration.v);
    std::vector<NormalRange> ranges;
    std::vector<double> weights;
    for (int g = 0; g < shape.kv_heads; ++g)
        for (std::size_t c = 0; c < static_cast<std::size_t>(shape.dim); ++c) {
            std::vector<double> entries;
            for (int j = first_taught(shape); j < shape.tokens; ++j) entries.push_back(keys.at(g, j)[c]);
            ranges.push_back(channel_range(std::move(entries)));
            const double scale = ranges.back().scale;
            weights.push_back(key_sensitivity(calibration, g, c) * scale * scale);
        }
    std::vector<WeightedSample> key_samples;
    std::vector<WeightedSample> value_samples;
    for (int j = first_taught(shape); j < shape.tokens; ++j) {
        add_samples(key_samples, key_token(keys, shape, j, ranges), weights);
        const ValueToken value = value_token(values, shape, j);
        add_samples(value_samples, value.coded,
                    std::vector<double>(weights.size(), value.range.scale * value.range.scale));
    }
    return {std::move(ranges), weighted_levels(std::move(key_samples), bits),
            weighted_levels(std::move(value_samples), bits)};
}

void quantise_keys(HeadVectors& keys, const CaptureShape& shape, const KvquantCalibration& calibration) {
    const auto d = static_cast<std::size_t>(shape.dim);
    for (int j = 1; j < shape.tokens; ++j) {
        const CodedToken token = key_token(keys, shape, j, calibration.key_ranges);
        for (std::size_t i = 0; i < token.whole.size(); ++i)
            if (!token.whole[i])
                keys.at(static_cast<int>(i / d), j)[i % d] =
                    calibration.key_ranges[i].decoded(calibration.key_levels.nearest(token.normalised[i]));
    }
}

std::uint64_t quantise_values(HeadVectors& values, const CaptureShape& shape, const LevelQuantiser& levels) {
    const auto d = static_cast<std::size_t>(shape.dim);
    std::uint64_t saturated = 0;
    for (int j = 1; j < shape.tokens; ++j) {
        const ValueToken token = value_token(values, shape, j);
        saturated += token.saturated;
        for (std::size_t i = 0; i < token.coded.whole.size(); ++i)
            if (!token.coded.whole[i])
                values.at(static_cast<int>(i / d), j)[i % d] =
                    token.range.decoded(levels.nearest(token.coded.normalised[i]));
    }
    return saturated;
}

} // namespace kvproof
