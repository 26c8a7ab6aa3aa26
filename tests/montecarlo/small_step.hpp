#pragma once
// Decode steps small enough to go through every pattern of two-point noise.

#include "sim/montecarlo/output_remainder.hpp"

#include <cmath>
#include <random>

namespace kvproof::testing_support {

/// A capture of one layer in memory, with an output projection.
class SmallCapture final : public CaptureSource {
public:
    CaptureLayer tokens;
    Tensor wo;

    [[nodiscard]] const CaptureShape& shape() const override { return tokens.shape; }
    [[nodiscard]] const std::string& source() const override { return name_; }
    [[nodiscard]] CaptureLayer layer(int /*index*/) const override { return tokens; }
    [[nodiscard]] std::optional<Tensor> matrix(int /*index*/, const std::string& name) const override {
        if (name == "wo") return wo;
        return std::nullopt;
    }
    [[nodiscard]] std::optional<Rotary> rotary() const override { return std::nullopt; }

private:
    std::string name_ = "small";
};

struct SmallSizes {
    int query_heads = 2;
    int kv_heads = 1;
    int dim = 2;
    int tokens = 3;
    int queries = 2;
    std::size_t model = 3; ///< d_model
};

inline SmallCapture small_capture(const SmallSizes& sizes, std::uint64_t seed) {
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    SmallCapture out;
    out.tokens.shape = {.layers = 1,
                        .query_heads = sizes.query_heads,
                        .kv_heads = sizes.kv_heads,
                        .dim = sizes.dim,
                        .tokens = sizes.tokens,
                        .queries = sizes.queries};
    const auto fill = [&](std::vector<double>& to, int count) {
        for (int i = 0; i < count; ++i) to.push_back(static_cast<float>(normal(next))); // as files keep them
    };
    fill(out.tokens.q, sizes.query_heads * sizes.queries * sizes.dim);
    fill(out.tokens.k, sizes.kv_heads * sizes.tokens * sizes.dim);
    fill(out.tokens.v, sizes.kv_heads * sizes.tokens * sizes.dim);
    const auto rows = static_cast<std::size_t>(sizes.query_heads * sizes.dim);
    out.wo.shape = {rows, sizes.model};
    fill(out.wo.values, static_cast<int>(rows * sizes.model));
    return out;
}

/// Wider numbers than the experiment's: what is left of D after D_K + D_V are its last digits.
using Wide = long double;

/// Theorem 1's numbers by their definitions: no expansion, no HeadOutput.
struct Enumerated {
    Wide distortion = 0; ///< D, over all patterns of signs
    Wide key = 0;        ///< D_K
    Wide value = 0;      ///< D_V

    [[nodiscard]] double remainder() const { return static_cast<double>(distortion - key - value); }
};

inline std::vector<Wide> block_output(const SmallCapture& capture, const QueryRow& row,
                                      const std::vector<double>& key_noise,
                                      const std::vector<double>& value_noise) {
    const auto d = static_cast<std::size_t>(capture.shape().dim);
    const std::size_t model = capture.wo.shape[1];
    const auto q = capture.tokens.query(row.head, row.query);
    std::vector<Wide> weights;
    Wide total = 0;
    for (std::size_t i = 0; i < row.tokens; ++i) {
        const auto k = capture.tokens.key(row.kv_head, static_cast<int>(i));
        Wide logit = 0;
        for (std::size_t c = 0; c < d; ++c) logit += q[c] * (Wide{k[c]} + key_noise[i * d + c]);
        weights.push_back(std::exp(logit / std::sqrt(static_cast<Wide>(d))));
        total += weights.back();
    }
    std::vector<Wide> out(model);
    for (std::size_t i = 0; i < row.tokens; ++i) {
        const auto v = capture.tokens.value(row.kv_head, static_cast<int>(i));
        for (std::size_t c = 0; c < d; ++c)
            for (std::size_t m = 0; m < model; ++m)
                out[m] += weights[i] / total * (Wide{v[c]} + value_noise[i * d + c]) *
                          capture.wo.values[(static_cast<std::size_t>(row.head) * d + c) * model + m];
    }
    return out;
}

inline Wide squared_distance(const std::vector<Wide>& a, const std::vector<Wide>& b) {
    Wide out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out += (a[i] - b[i]) * (a[i] - b[i]);
    return out;
}

/// Noise of pattern `signs`, bit by bit.
inline std::vector<double> pattern(const std::vector<double>& token, const std::vector<double>& channel,
                                   std::size_t tokens, std::uint64_t signs) {
    std::vector<double> out;
    for (std::size_t i = 0; i < tokens; ++i)
        for (std::size_t c = 0; c < channel.size(); ++c)
            out.push_back(token[i] * channel[c] * ((signs >> (i * channel.size() + c) & 1U) != 0 ? -1 : 1));
    return out;
}

inline Enumerated enumerate(const SmallCapture& capture, const QueryRow& row, const NoiseSizes& sizes) {
    const std::size_t n = row.tokens;
    const auto d = static_cast<std::size_t>(capture.shape().dim);
    const std::vector<double> zero(n * d);
    const std::vector<Wide> o = block_output(capture, row, zero, zero);
    Enumerated out;
    const std::uint64_t patterns = std::uint64_t{1} << (n * d);
    for (std::uint64_t keys = 0; keys < patterns; ++keys)
        for (std::uint64_t values = 0; values < patterns; ++values)
            out.distortion += squared_distance(
                o, block_output(capture, row, pattern(sizes.key_token, sizes.key_channel, n, keys),
                                pattern(sizes.value_token, sizes.value_channel, n, values)));
    out.distortion /= static_cast<Wide>(patterns * patterns);
    // D_K and D_V term by term; a unit vector in place of v gives v_i W_O and W_Oc
    const auto q = capture.tokens.query(row.head, row.query);
    for (std::size_t i = 0; i < n; ++i) {
        QueryRow alone = row;
        alone.tokens = 1;
        SmallCapture one = capture;
        const auto v = capture.tokens.value(row.kv_head, static_cast<int>(i));
        const auto at = static_cast<std::size_t>(row.kv_head * capture.shape().tokens) * d;
        std::copy(v.begin(), v.end(), one.tokens.v.begin() + static_cast<std::ptrdiff_t>(at));
        const Wide distance = squared_distance(o, block_output(one, alone, zero, zero));
        Wide total = 0;
        std::vector<Wide> weight;
        for (std::size_t l = 0; l < n; ++l) {
            Wide logit = 0;
            for (std::size_t c = 0; c < d; ++c)
                logit += Wide{q[c]} * capture.tokens.key(row.kv_head, static_cast<int>(l))[c];
            weight.push_back(std::exp(logit / std::sqrt(static_cast<Wide>(d))));
            total += weight.back();
        }
        const Wide a = weight[i] / total;
        for (std::size_t c = 0; c < d; ++c) {
            const double key = sizes.key_token[i] * sizes.key_channel[c];
            const double value = sizes.value_token[i] * sizes.value_channel[c];
            out.key += a * a * distance * q[c] * q[c] / static_cast<Wide>(d) * key * key;
            Wide length = 0;
            const std::size_t model = capture.wo.shape[1];
            for (std::size_t m = 0; m < model; ++m) {
                const Wide w = capture.wo.values[(static_cast<std::size_t>(row.head) * d + c) * model + m];
                length += w * w;
            }
            out.value += a * a * value * value * length;
        }
    }
    return out;
}

} // namespace kvproof::testing_support
