// What AATC's quantiser does to a cache: its two forms against the model's range, errors against the reader
// that runs, covariances against sums over channels, samples against the whole capture.
#include "sim/montecarlo/quantised_tokens.hpp"
#include "sim/montecarlo/query_rows.hpp"
#include "tests/montecarlo/estimates.hpp"
#include "tests/reader/models.hpp"

#include "lib/error.hpp"
#include "lib/reader/aatc.hpp"
#include "lib/reader/aatc_allocation.hpp"
#include "lib/reader/exact_attention.hpp"
#include "lib/reader/token_window.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

struct Coded {
    MemoryCapture model;
    CaptureLayer layer;
    AatcLatents latents;
    QuantisedTokens tokens;
};

Coded coded(std::uint64_t seed, CacheSide side, std::uint8_t bits, TokenCode form) {
    ModelSizes sizes;
    sizes.layers = 1;
    sizes.layer.tokens = 24;
    Coded out;
    out.model = random_model(sizes, seed);
    out.layer = out.model.layer(0);
    const Projections projections = required_projections(out.model, 0, "test");
    out.latents = side == CacheSide::keys ? aatc_keys(out.layer, projections, *out.model.encoding, 1)
                                          : aatc_values(out.layer, projections, 1);
    const std::vector<std::uint8_t> all(out.latents.scale.size(), bits);
    out.tokens = quantise_tokens(out.layer, side, out.latents, all, form, *out.model.encoding);
    return out;
}

/// The greatest and least e/Delta.
std::pair<double, double> range_of(const QuantisedTokens& tokens) {
    double least = 0;
    double greatest = 0;
    for (const double e : tokens.relative) {
        if (std::isnan(e)) continue;
        least = std::min(least, e);
        greatest = std::max(greatest, e);
    }
    return {least, greatest};
}

RC_GTEST_PROP(QuantisedTokens, the_repaired_form_keeps_within_half_a_step, (std::uint8_t seed, bool keys)) {
    const auto bits = static_cast<std::uint8_t>(*rc::gen::inRange(1, 9));
    const Coded at = coded(seed, keys ? CacheSide::keys : CacheSide::values, bits, TokenCode::repaired);
    const auto [least, greatest] = range_of(at.tokens);
    // h/Delta is rounded, up to 2^(bits-1) in size
    const double rounded = std::ldexp(1.0, bits) * 0x1p-52;
    RC_ASSERT(least >= -0.5 - rounded);
    RC_ASSERT(greatest <= 0.5 + rounded);
}

TEST(QuantisedTokens, the_printed_form_does_not) {
    int beyond = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const auto [least, greatest] = range_of(coded(seed, CacheSide::values, 3, TokenCode::printed).tokens);
        EXPECT_GE(least,
                  -1 - std::ldexp(1.0, 2 - 11)); // the stored scale may be half an ulp of binary16 short
        EXPECT_LE(greatest, 0.5 + std::ldexp(1.0, 2 - 11));
        beyond += least < -0.75 ? 1 : 0;
    }
    EXPECT_EQ(beyond, 8);
}

TEST(QuantisedTokens, errors_are_relative_errors_decoded) {
    for (const CacheSide side : {CacheSide::keys, CacheSide::values}) {
        const Coded at = coded(3, side, 4, TokenCode::repaired);
        const std::size_t n = at.tokens.channels;
        const auto d = static_cast<std::size_t>(at.layer.shape.dim);
        const auto count = static_cast<std::size_t>(at.layer.shape.tokens);
        for (std::size_t t = 0; t < count; ++t) {
            std::vector<double> h(n);
            for (std::size_t c = 0; c < n; ++c)
                h[c] = at.tokens.relative[t * n + c] * at.tokens.token_scale[t] * at.tokens.unit[c];
            std::vector<double> heads(n);
            at.latents.decode(h, heads);
            for (std::size_t g = 0; g < n / d; ++g) {
                const std::span<double> head = std::span(heads).subspan(g * d, d);
                if (side == CacheSide::keys) at.model.encoding->turn(head, static_cast<int>(t));
                for (std::size_t c = 0; c < d; ++c)
                    EXPECT_NEAR(at.tokens.errors[(g * count + t) * d + c], head[c], 1e-9);
            }
        }
    }
}

TEST(QuantisedTokens, are_what_the_reader_decodes) {
    ModelSizes sizes;
    sizes.layers = 1;
    sizes.layer.tokens = 200;
    sizes.layer.queries = 1;
    const MemoryCapture model = random_model(sizes, 5);
    const CaptureLayer layer = model.layer(0);
    AatcOptions options;
    options.bits = 3;
    options.weighted = false;
    options.plain = true;
    options.code = TokenCode::repaired;
    const auto reader = aatc_reader(options);
    reader->prepare(model, std::vector<int>{0});
    const auto stored = reader->encode({layer, nullptr, 0}, settings_for(layer.shape.dim));
    const Projections projections = required_projections(model, 0, "test");
    const AatcLatents keys = aatc_keys(layer, projections, *model.encoding, 1);
    const AatcLatents values = aatc_values(layer, projections, 1);
    const auto bits_of = [](const AatcLatents& latents) {
        AatcRule rule;
        rule.average = 3;
        std::vector<char> live;
        for (const double scale : latents.scale) live.push_back(scale > 0 ? 1 : 0);
        return aatc_bits({{latents.variance, std::vector<double>(latents.variance.size(), 1.0), live}}, rule)
            .front();
    };
    const QuantisedTokens k =
        quantise_tokens(layer, CacheSide::keys, keys, bits_of(keys), options.code, *model.encoding);
    const QuantisedTokens v =
        quantise_tokens(layer, CacheSide::values, values, bits_of(values), options.code, *model.encoding);
    const std::vector<double> queries = layer.queries_at(0);
    const Answer answer = stored->answer(queries, 200);
    const TokenWindow window;
    const auto d = static_cast<std::size_t>(layer.shape.dim);
    for (int h = 0; h < layer.shape.query_heads; ++h) {
        const int g = layer.shape.kv_head_of(h);
        std::vector<std::vector<double>> key;
        std::vector<std::vector<double>> value;
        for (int t = 0; t < 200; ++t) {
            const double coded = window.holds(t, 200) ? 0 : 1;
            const std::size_t at = (static_cast<std::size_t>(g) * 200 + static_cast<std::size_t>(t)) * d;
            key.emplace_back(d);
            value.emplace_back(d);
            for (std::size_t c = 0; c < d; ++c) {
                key.back()[c] = layer.k[at + c] + coded * k.errors[at + c];
                value.back()[c] = layer.v[at + c] + coded * v.errors[at + c];
            }
        }
        std::vector<double> output(d);
        attend(
            layer.query(h, 0), 200, [&](int t) { return std::span<const double>(key[t]); },
            [&](int t) { return std::span<const double>(value[t]); }, output);
        for (std::size_t c = 0; c < d; ++c)
            EXPECT_NEAR(output[c], answer.outputs[static_cast<std::size_t>(h) * d + c], 1e-9);
    }
}

RC_GTEST_PROP(HeadCovariance, is_a_sum_over_channels, (std::uint8_t seed, bool keys)) {
    const Coded at = coded(seed, keys ? CacheSide::keys : CacheSide::values, 2, TokenCode::printed);
    const int d = at.layer.shape.dim;
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    for (int g = 0; g < at.layer.shape.kv_heads; ++g) {
        std::vector<double> q(static_cast<std::size_t>(d));
        for (double& x : q) x = normal(next);
        const std::vector<double> m = head_covariance(at.tokens, at.latents, at.tokens.power, g, d);
        double by_matrix = 0;
        for (std::size_t i = 0; i < q.size(); ++i)
            for (std::size_t j = 0; j < q.size(); ++j) by_matrix += q[i] * m[i * q.size() + j] * q[j];
        // each channel's error alone, decoded
        double by_channel = 0;
        for (std::size_t c = 0; c < at.tokens.channels; ++c) {
            std::vector<double> h(at.tokens.channels);
            std::vector<double> heads(at.tokens.channels);
            h[c] = at.tokens.unit[c] * std::sqrt(at.tokens.power[c]);
            at.latents.decode(h, heads);
            double product = 0;
            for (std::size_t i = 0; i < q.size(); ++i)
                product += q[i] * heads[static_cast<std::size_t>(g * d) + i];
            by_channel += product * product;
        }
        RC_ASSERT(std::fabs(by_matrix - by_channel) <= 1e-10 * by_channel);
    }
}

CaptureInputs shipped() {
    const std::filesystem::path folder = std::filesystem::path(KVPROOF_SOURCE_DIR) / "tests/data/captures";
    static const CaptureInputs files{std::make_shared<const Capture>(folder / "byte64_test.safetensors"),
                                     std::make_shared<const Capture>(folder / "byte64_calib.safetensors")};
    return files;
}

TEST(QuantiserNoise, samples_are_of_the_whole_capture) {
    for (const std::string code : {"printed", "repaired"}) {
        const Task task = make_task("quantiser-noise", {"bits=3", "code=" + code}, 0, shipped());
        const Sums sums = run_range(task, 1, 63); // no row among them
        EXPECT_EQ(estimate_of(task, sums, "distortion").samples, 0U);
        Sums many;
        for (std::uint64_t first = 1; first < 64 * 600; first += 64) many += run_range(task, first, 63);
        int held = 0;
        for (const std::string side : {"key", "value"}) {
            EXPECT_GE(*estimate_of(task, many, side + "_bias").least, reference(task, side + "_least"));
            for (const char* what : {"_bias", "_power", "_overload"}) {
                const Estimate interval = estimate_of(task, many, side + what);
                const double exact = reference(task, side + what);
                held += *interval.lower <= exact && exact <= *interval.upper ? 1 : 0;
            }
        }
        EXPECT_GE(held, 5) << code; // of six: empirical Bernstein intervals are wider than 95 %
        if (code == "printed")
            EXPECT_LT(*estimate_of(task, many, "value_bias").upper, 0); // the clamp has one side
        else
            EXPECT_EQ(*estimate_of(task, many, "value_overload").mean, 0);
    }
}

TEST(QuantiserNoise, trials_stand_alone) {
    const Task task = make_task("quantiser-noise", {"bits=2", "allocation=aatc"}, 6, shipped());
    const Sums whole = run_range(task, 60, 8);
    Sums parts;
    for (std::uint64_t begin = 60; begin < 68; begin += 3)
        parts += run_range(task, begin, std::min<std::uint64_t>(3, 68 - begin));
    EXPECT_EQ(parts, whole);
    EXPECT_EQ(estimate_of(task, whole, "distortion").samples, 1U);
}

TEST(QuantiserNoise, many_bits_make_the_prediction_hold) {
    const Task task = make_task("quantiser-noise", {"bits=8", "code=repaired"}, 0, shipped());
    Sums sums;
    for (std::uint64_t row = 0; row < 96; ++row) sums += run_range(task, 64 * row, 1);
    const Estimate ratio = estimate_of(task, sums, "distortion");
    EXPECT_EQ(ratio.samples, 96U);
    EXPECT_GT(*ratio.upper, 0.5);
    EXPECT_LT(*ratio.lower, 2);
}

TEST(QuantiserNoise, one_layer_is_part_of_all) {
    double mean = 0; // every layer has as many tokens and channels, but not as many live ones: weigh them
    double live = 0;
    for (int layer = 0; layer < 4; ++layer) {
        const Task task = make_task("quantiser-noise", {"layer=" + std::to_string(layer)}, 0, shipped());
        const Sums sums = run_range(task, 1, 63);
        EXPECT_GT(estimate_of(task, sums, "value_bias").samples, 0U);
        // layer 0 sees the embeddings of 37 bytes: so many channels have a scale (of 128)
        const double width = layer == 0 ? 37 : 128;
        mean += width * reference(task, "value_bias");
        live += width;
    }
    const Task all = make_task("quantiser-noise", {}, 0, shipped());
    EXPECT_NEAR(mean / live, reference(all, "value_bias"), 1e-12);
    EXPECT_THROW(static_cast<void>(make_task("quantiser-noise", {"layer=4"}, 0, shipped())), Error);
}

TEST(QuantiserNoise, needs_a_calibration) {
    CaptureInputs files = shipped();
    files.calibration = nullptr;
    try {
        static_cast<void>(make_task("quantiser-noise", {}, 0, files));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_option);
        EXPECT_NE(std::string(error.what()).find("--calibration: found none"), std::string::npos);
    }
}

} // namespace
