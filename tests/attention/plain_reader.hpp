#pragma once
// ReadKV's two-stage reader written down from the paper's Algorithm 1 (3.1 to 3.3), one loop a formula: no
// bit planes, no kernels, no heap. Only the codebook, its gains and the transforms are the library's.

#include "tests/attention/reader_case.hpp"

namespace kvproof::test {

/// What the paper's reader has in hand at its end. Vectors are in transformed coordinates.
struct PlainAnswer {
    Vector key_weights; ///< [G, d]
    std::vector<unsigned> key_depths;
    Vector logits;                          ///< [H, T]
    std::vector<long double> attention;     ///< [H, T]
    std::vector<long double> value_weights; ///< [G, T]
    Vector keys;                            ///< [G, T, d], reconstructed
};

/// The scalar of a prefix: standardise, walk the tree for t steps, take that cell's centroid.
inline double prefix_value(double x, double mean, double scale, int t, const Codebook<float>& book) {
    const double z = scale == 0 ? 0 : (x - mean) / scale;
    std::size_t cell = 0;
    for (int step = 1; step <= t; ++step) {
        const double split = book.boundaries[static_cast<std::size_t>(step)][2 * cell];
        cell = 2 * cell + (z < split ? 0 : 1);
    }
    return mean + scale * static_cast<double>(book.centroids[static_cast<std::size_t>(t)][cell]);
}

/// ChooseDepths as the paper says it: look at every item, raise the one of largest gain, B times.
inline std::vector<unsigned> plain_depths(const Vector& weights, const Vector& gains, std::uint64_t budget) {
    std::vector<unsigned> depths(weights.size());
    for (; budget > 0; --budget) {
        double best = 0;
        std::size_t owner = weights.size();
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (depths[i] == gains.size()) continue;
            const double gain = weights[i] * gains[depths[i]];
            if (gain > best) {
                best = gain;
                owner = i;
            }
        }
        if (owner == weights.size()) break;
        ++depths[owner];
    }
    return depths;
}

/// The same for each head by itself, or for all together: floor(R n) or floor(R G n).
inline std::vector<unsigned> plain_schedule(const Vector& weights, std::size_t heads, const Vector& gains,
                                            const Rational& rate, bool per_head) {
    const std::size_t pools = per_head ? heads : 1;
    const std::size_t size = weights.size() / pools;
    const auto budget = floor(Rational(rate * Rational(Integer(size)))).convert_to<std::uint64_t>();
    std::vector<unsigned> out;
    for (std::size_t p = 0; p < pools; ++p) {
        const auto first = weights.begin() + static_cast<std::ptrdiff_t>(p * size);
        const auto depths =
            plain_depths(Vector(first, first + static_cast<std::ptrdiff_t>(size)), gains, budget);
        out.insert(out.end(), depths.begin(), depths.end());
    }
    return out;
}

/// The first stage, up to the value weights, over the first T tokens.
inline PlainAnswer plain_first_stage(const ReaderCase& input, const Rational& rate, bool per_head,
                                     ValueScale scaling, std::size_t tokens) {
    const std::size_t d = input.dim();
    const auto heads = static_cast<std::size_t>(input.layer.shape.query_heads);
    const auto groups = static_cast<std::size_t>(input.layer.shape.kv_heads);
    Vector queries = input.queries;
    input.keys.apply_rows(queries);
    Vector keys = input.layer.k;
    input.keys.apply_rows(keys);
    PlainAnswer out;
    for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t c = 0; c < d; ++c) {
            double weight = 0;
            for (std::size_t h = 0; h < heads; ++h)
                if (h * groups / heads == g) {
                    const double scaled = queries[h * d + c] * input.calibration.keys.scale[g * d + c];
                    weight += scaled * scaled; // libm's pow may round otherwise
                }
            out.key_weights.push_back(weight);
        }
    out.key_depths = plain_schedule(out.key_weights, groups, input.code.gain, rate, per_head);
    for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t j = 0; j < tokens; ++j)
            for (std::size_t c = 0; c < d; ++c)
                out.keys.push_back(prefix_value(
                    keys[(g * input.tokens() + j) * d + c], input.calibration.keys.mean[g * d + c],
                    input.calibration.keys.scale[g * d + c], static_cast<int>(out.key_depths[g * d + c]),
                    input.code.codebook));
    out.value_weights.assign(groups * tokens, 0);
    for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t g = h * groups / heads;
        long double mass = 0;
        std::vector<long double> terms;
        long double most = -HUGE_VALL;
        for (std::size_t j = 0; j < tokens; ++j) {
            double logit = 0;
            for (std::size_t c = 0; c < d; ++c)
                logit += queries[h * d + c] * out.keys[(g * tokens + j) * d + c];
            out.logits.push_back(logit / std::sqrt(static_cast<double>(d)));
            most = std::max(most, static_cast<long double>(out.logits.back()));
        }
        for (std::size_t j = 0; j < tokens; ++j) {
            terms.push_back(std::exp(static_cast<long double>(out.logits[h * tokens + j]) - most));
            mass += terms.back();
        }
        long double scale = scaling == ValueScale::unit ? 1 : 0;
        for (std::size_t c = 0; scaling == ValueScale::variance && c < d; ++c)
            scale += std::pow(static_cast<long double>(input.calibration.values.scale[g * d + c]), 2);
        for (std::size_t j = 0; j < tokens; ++j) {
            out.attention.push_back(terms[j] / mass);
            out.value_weights[g * tokens + j] += scale * std::pow(out.attention.back(), 2);
        }
    }
    return out;
}

/// The second stage: o^ of each query head [H, d] in the capture's coordinates, from these depths [G, T].
inline std::vector<long double> plain_outputs(const ReaderCase& input, const PlainAnswer& first,
                                              const std::vector<std::uint8_t>& depths, std::size_t tokens) {
    const std::size_t d = input.dim();
    const auto heads = static_cast<std::size_t>(input.layer.shape.query_heads);
    const auto groups = static_cast<std::size_t>(input.layer.shape.kv_heads);
    Vector values = input.layer.v;
    input.values.apply_rows(values);
    std::vector<long double> out;
    for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t g = h * groups / heads;
        std::vector<long double> sum(d);
        for (std::size_t j = 0; j < tokens; ++j) {
            Vector row;
            for (std::size_t c = 0; c < d; ++c)
                row.push_back(prefix_value(
                    values[(g * input.tokens() + j) * d + c], input.calibration.values.mean[g * d + c],
                    input.calibration.values.scale[g * d + c], depths[g * tokens + j], input.code.codebook));
            input.values.apply_inverse(row); // sums and inverses commute
            for (std::size_t c = 0; c < d; ++c) sum[c] += first.attention[h * tokens + j] * row[c];
        }
        out.insert(out.end(), sum.begin(), sum.end());
    }
    return out;
}

} // namespace kvproof::test
