#include "sim/probe/readkv_reach.hpp"

#include "lib/attention/two_stage.hpp"
#include "lib/error.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

constexpr int deepest = 8;
constexpr int attention_scalars = 4; // two keys and two values at m = 1

double nearest(const Rational& value) {
    return nearest_float64(value);
}

/// Means of 0, and scales for one head of `dim` channels.
Calibration plain(std::size_t dim, double key_scale, double value_scale) {
    const std::vector<double> zero(dim);
    return {{zero, std::vector<double>(dim, key_scale)}, {zero, std::vector<double>(dim, value_scale)}};
}

/// One query head and one KV head over these keys and values, [T, dim] each.
CaptureLayer layer_of(std::size_t dim, std::vector<double> keys, std::vector<double> values) {
    CaptureLayer out;
    out.shape = {.layers = 1,
                 .query_heads = 1,
                 .kv_heads = 1,
                 .dim = static_cast<int>(dim),
                 .tokens = static_cast<int>(keys.size() / dim),
                 .queries = 1};
    out.q.resize(dim);
    out.k = std::move(keys);
    out.v = std::move(values);
    return out;
}

/// Keeps the largest error and what was read; refuses a reader that reads too much.
class Worst {
public:
    Worst(const Family& family, int depth, int probes) : family_(family), probes_(probes) {
        out_.stored_depth = depth;
    }

    /// `exact` is the answer to be compared with the target; `run` is what the reader itself said, both in
    /// the family's coordinates, that is times sqrt(scale).
    void answer(int x, int y, const Rational& exact, double run) {
        const Rational off = family_.target(x, y)[0] - exact;
        out_.risk = std::max(out_.risk, Rational(off * off / Rational(family_.scale)));
        out_.largest_deviation = std::max(out_.largest_deviation, std::abs(nearest(exact) - run));
    }
    void read(std::uint64_t bits) {
        if (bits > static_cast<std::uint64_t>(probes_))
            throw Error(ErrorCode::internal, "the two-stage reader: found " + std::to_string(bits) +
                                                 " bits read, expected at most " + std::to_string(probes_));
        out_.bits_read = std::max(out_.bits_read, bits);
    }
    [[nodiscard]] const ReadKvReach& result() const { return out_; }

private:
    const Family& family_;
    int probes_;
    ReadKvReach out_;
};

/// The reader with an empty record.
ReadKvReach mean_alone(const Family& family, int depth, int probes) {
    Worst worst(family, depth, probes);
    for (int x = 0; x < family.sources; ++x)
        for (int y = 0; y < family.queries; ++y) worst.answer(x, y, 0, 0);
    return worst.result();
}

/// All sources are tokens of one layer: which prefixes are read depends on the query alone.
ReadKvReach inner_products(const Family& family, const NestedCode& code, int bits, int probes) {
    const std::size_t d = family.source_points.front().size();
    const int depth = std::min(deepest, bits / static_cast<int>(d));
    if (depth == 0 || probes == 0) return mean_alone(family, depth, probes);
    const NestedCode stored = cut(code, depth);
    const Codebook<Rational> exact = exact_codebook(stored.codebook);
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    const Transform transform =
        family.name.starts_with("hadamard:") ? Transform::hadamard(d, 0, 0) : Transform::identity(d);

    std::vector<double> keys;
    for (const auto& z : family.source_points)
        for (const Rational& entry : z) keys.push_back(nearest(entry) * scale);
    transform.apply_inverse_rows(keys);
    const std::vector<double> no_values(keys.size());
    const CaptureLayer layer = layer_of(d, keys, no_values);
    const EncodedLayer encoded(layer, plain(d, scale, 1), transform, Transform::identity(d), stored);
    const auto policy = adaptive_policy({Rational(probes, d), 0}, stored.gain, false);
    const TwoStageReader reader(encoded, *policy, transform, Transform::identity(d), ValueScale::unit);

    Worst worst(family, depth, probes);
    TwoStageCall call;
    for (int y = 0; y < family.queries; ++y) {
        const auto& q = family.query_points[static_cast<std::size_t>(y)];
        Rational norm_sq = 0;
        for (const Rational& entry : q) norm_sq += entry * entry;
        const double norm = std::sqrt(nearest(norm_sq));
        std::vector<double> query;
        for (const Rational& entry : q) query.push_back(nearest(entry) / norm);
        transform.apply_inverse(query);
        reader.run(query, family.sources, call);
        worst.read(call.key_bits / static_cast<std::uint64_t>(family.sources));
        for (int x = 0; x < family.sources; ++x) {
            Rational answer = 0;
            for (std::size_t i = 0; i < d; ++i) {
                const std::uint32_t cell =
                    encode(exact, family.source_points[static_cast<std::size_t>(x)][i]);
                answer += q[i] * decode(exact, cell, call.key_schedule.depths[i]);
            }
            // the logit is x'y / sqrt(d), the target z'q = sqrt(d) |q| x'y
            const double run = call.logits[static_cast<std::size_t>(x)] * static_cast<double>(d) * norm;
            worst.answer(x, y, answer, run);
        }
    }
    return worst.result();
}

/// Theorem 2 at m = 1.
std::optional<ReadKvReach> attention(const Family& family, const NestedCode& code, int bits, int probes) {
    const int depth = std::min(deepest, bits / attention_scalars);
    if (depth == 0 || probes < 2) return {};
    const NestedCode stored = cut(code, depth);
    const Codebook<Rational> exact = exact_codebook(stored.codebook);
    const double key = stored.codebook.centroids[1][1]; // c_1
    const Rational& share = attention_share();
    // logits t and -t with e^t / (e^t + e^-t) = p
    const double length = std::log(nearest(share / (1 - share))) / 2 / key;
    const auto policy = adaptive_policy({1, Rational(probes - 2, 2)}, stored.gain, false);
    const Transform same = Transform::identity(1);

    Worst worst(family, depth, probes);
    TwoStageCall call;
    for (int x = 0; x < family.sources; ++x) {
        const auto& source = family.source_points[static_cast<std::size_t>(x)];
        const double b = nearest(source[0]);
        const CaptureLayer layer = layer_of(1, {b * key, -b * key}, {nearest(source[1]), nearest(source[2])});
        const EncodedLayer encoded(layer, plain(1, 1, 1), same, same, stored);
        const TwoStageReader reader(encoded, *policy, same, same, ValueScale::unit);
        for (int y = 0; y < family.queries; ++y) {
            const Rational& eta = family.query_points[static_cast<std::size_t>(y)][0];
            const std::vector<double> query = {nearest(eta) * length};
            reader.run(query, 2, call);
            worst.read(call.key_bits + call.value_bits);
            Rational answer = 0;
            for (std::size_t token = 0; token < 2; ++token) {
                const bool chosen = (eta * source[0] == 1) == (token == 0); // j*
                const Rational& value =
                    decode(exact, encode(exact, source[token + 1]), call.value_schedule.depths[token]);
                answer += (chosen ? share : Rational(1 - share)) * value;
            }
            worst.answer(x, y, answer, reader.outputs(call)[0]);
        }
    }
    return worst.result();
}

} // namespace

std::optional<ReadKvReach> readkv_reach(const Family& family, const NestedCode& code, int bits, int probes) {
    if (family.source_points.empty()) return {};
    if (family.name.starts_with("attention:")) return attention(family, code, bits, probes);
    return inner_products(family, code, bits, probes);
}

} // namespace kvproof
