#include "proofs/readkv/synthetic_case.hpp"

#include "proofs/draws.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

enum Stream : std::uint16_t { sizes, law_of_keys, law_of_values, keys, values, queries, calibration };

/// What the channels of one kind of vector are like, [heads, d_h].
struct Law {
    std::vector<double> mean;
    std::vector<double> scale;
    bool correlated = false;
    bool heavy = false;
    bool drift = false;
};

Law draw_law(Draws draws, std::size_t channels) {
    Law out;
    out.correlated = draws.one_in(2);
    out.heavy = draws.one_in(4);
    out.drift = draws.one_in(4);
    for (std::size_t c = 0; c < channels; ++c) {
        out.mean.push_back(draws.normal());
        out.scale.push_back(std::ldexp(1.0, draws.below(6) - 3));
    }
    const auto any_channel = [&] {
        return static_cast<std::size_t>(draws.below(static_cast<int>(channels)));
    };
    if (draws.one_in(4)) out.scale[any_channel()] *= 16;
    if (draws.one_in(8)) out.scale[any_channel()] = 0;
    return out;
}

/// Vectors [heads, rows, d] of the law; `moved` ones have left the calibrated mean.
std::vector<double> draw_vectors(Draws draws, const Law& law, std::size_t heads, std::size_t rows,
                                 std::size_t d, bool moved) {
    std::vector<double> out;
    for (std::size_t g = 0; g < heads; ++g)
        for (std::size_t j = 0; j < rows; ++j) {
            const double common = draws.normal();
            for (std::size_t c = 0; c < d; ++c) {
                double z = draws.normal();
                if (law.correlated) z = 0.6 * z + 0.8 * common;
                if (law.heavy) z /= std::sqrt(draws.uniform());
                if (law.drift && moved) z += 3;
                out.push_back(law.mean[g * d + c] + law.scale[g * d + c] * z);
            }
        }
    return out;
}

std::string describe(const Sample& sample, std::uint64_t index, const SyntheticCase& drawn) {
    const CaptureShape& shape = drawn.layer.shape;
    const ReaderSetup& setup = drawn.setup;
    return "seed " + std::to_string(sample.seed) + ", case " + std::to_string(index) +
           ": d_h = " + std::to_string(shape.dim) + ", G = " + std::to_string(shape.kv_heads) +
           ", H = " + std::to_string(shape.query_heads) + ", T = " + std::to_string(drawn.visible) +
           ", W = " + std::to_string(setup.code.depth()) + ", R_K = " + to_string(setup.rates.keys) +
           ", R_V = " + to_string(setup.rates.values) +
           (setup.keys.is_identity() ? ", identity" : ", Hadamard") +
           (setup.per_head ? ", a budget for each head" : "");
}

ReaderSetup draw_setup(Draws& draws, const Sample& sample, std::size_t d) {
    const int stored = 1 + draws.below(std::min(8, sample.code.depth()));
    const bool hadamard = !draws.one_in(4);
    const std::uint64_t signs = draws.word();
    const auto rate = [&] { return Rational(draws.below(4 * stored + 1), 4); };
    const Rational key_rate = rate();
    const Rational value_rate = rate();
    return {.keys = hadamard ? Transform::hadamard(d, signs, 0) : Transform::identity(d),
            .values = hadamard ? Transform::hadamard(d, signs, 1) : Transform::identity(d),
            .code = cut(sample.code, stored),
            .rates = {key_rate, value_rate},
            .per_head = draws.one_in(3),
            .value_scale = draws.one_in(2) ? ValueScale::unit : ValueScale::variance};
}

} // namespace

SyntheticCase synthetic_case(const Sample& sample, std::uint64_t index, const CaseLimits& limits) {
    Draws draws(sample.seed, index, sizes);
    CaptureShape shape;
    shape.layers = 1;
    shape.dim = std::min(limits.dim, draws.pick({2, 4, 8, 16, 64}));
    shape.kv_heads = 1 + draws.below(2);
    shape.query_heads = shape.kv_heads * (1 + draws.below(3));
    shape.tokens = std::min(limits.tokens, draws.pick({1, 2, 3, 4, 5, 8, 13, 21, 34}));
    shape.queries = 1;
    const int visible = shape.tokens > 1 && draws.one_in(4) ? shape.tokens - 1 : shape.tokens;
    const auto d = static_cast<std::size_t>(shape.dim);
    const auto heads = static_cast<std::size_t>(shape.kv_heads);
    const auto tokens = static_cast<std::size_t>(shape.tokens);
    SyntheticCase out{{shape, {}, {}, {}}, {}, draw_setup(draws, sample, d), visible, {}};
    const double query_size = std::ldexp(1.0, draws.below(6) - 1);

    const auto stream = [&](Stream which) { return Draws(sample.seed, index, which); };
    const Law key_law = draw_law(stream(law_of_keys), heads * d);
    const Law value_law = draw_law(stream(law_of_values), heads * d);
    out.layer.k = draw_vectors(stream(keys), key_law, heads, tokens, d, true);
    out.layer.v = draw_vectors(stream(values), value_law, heads, tokens, d, true);
    Draws query = stream(queries);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.query_heads) * d; ++i)
        out.layer.q.push_back(query_size * query.normal());

    CaptureLayer other;
    other.shape = shape;
    other.shape.tokens = std::max(8, shape.tokens);
    const auto others = static_cast<std::size_t>(other.shape.tokens);
    other.k = draw_vectors(stream(calibration), key_law, heads, others, d, false);
    other.v = draw_vectors(Draws(sample.seed, index, calibration + 1), value_law, heads, others, d, false);
    out.calibration = calibrate(other, out.setup.keys, out.setup.values);
    out.where = describe(sample, index, out);
    return out;
}

} // namespace kvproof
