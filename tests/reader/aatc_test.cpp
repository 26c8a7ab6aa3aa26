// AATC: weights against perturbed channels, bits against the closed form, the window, refusals, and that each
// of its parts changes what it answers.
#include "lib/reader/aatc.hpp"

#include "lib/account/percent.hpp"
#include "lib/reader/aatc_latents.hpp"
#include "tests/reader/models.hpp"
#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

ModelSizes small_sizes(int layers = 2) {
    return {layers, 16, {.kv_heads = 2, .query_heads = 4, .dim = 4, .tokens = 200, .queries = 6}};
}

Projections projections_of(const MemoryCapture& model, int layer) {
    return required_projections(model, layer, "test");
}

/// The heads that a unit latent decodes to.
Vector decoded_unit(const AatcLatents& latents, std::size_t channel) {
    Vector h(latents.weight.size());
    h[channel] = 1;
    Vector heads(h.size());
    latents.decode(h, heads);
    return heads;
}

/// w^K_c is the mean square of what a unit error of channel c does to the logits of all query heads; w^V_c
/// the square of what it does to their projected values.
RC_GTEST_PROP(AatcLatents, weights_are_what_an_error_does, ()) {
    const int kv_heads = *rc::gen::element(1, 2, 4);
    ModelSizes sizes = small_sizes(1);
    sizes.layer = {kv_heads, kv_heads * *rc::gen::inRange(1, 4), 4, 40, *rc::gen::inRange(1, 9)};
    sizes.width = *rc::gen::inRange(3, 20);
    const MemoryCapture model = random_model(sizes, *rc::gen::inRange(0, 1000));
    const int groups = *rc::gen::element(1, kv_heads);
    const CaptureLayer layer = model.layer(0);
    const Projections projections = projections_of(model, 0);
    const AatcLatents keys = aatc_keys(layer, projections, *model.encoding, groups);
    const AatcLatents values = aatc_values(layer, projections, groups);
    const auto d = static_cast<std::size_t>(sizes.layer.dim);
    for (std::size_t c = 0; c < keys.weight.size(); ++c) {
        const Vector key_error = decoded_unit(keys, c);
        const Vector value_error = decoded_unit(values, c);
        double logits = 0;
        double outputs = 0;
        for (int h = 0; h < layer.shape.query_heads; ++h) {
            const std::size_t at = static_cast<std::size_t>(layer.shape.kv_head_of(h)) * d;
            for (int row = 0; row < layer.shape.queries; ++row) {
                // the error of a key at the query's own position: their rotations cancel
                Vector turned(key_error.begin() + static_cast<std::ptrdiff_t>(at),
                              key_error.begin() + static_cast<std::ptrdiff_t>(at + d));
                model.encoding->turn(turned, layer.shape.position(row));
                double logit = 0;
                for (std::size_t i = 0; i < d; ++i) logit += layer.query(h, row)[i] * turned[i];
                logits += logit * logit / layer.shape.queries;
            }
            for (std::size_t m = 0; m < projections.wo.shape[1]; ++m) {
                double output = 0;
                for (std::size_t i = 0; i < d; ++i)
                    output +=
                        value_error[at + i] *
                        projections.wo
                            .values[(static_cast<std::size_t>(h) * d + i) * projections.wo.shape[1] + m];
                outputs += output * output;
            }
        }
        RC_ASSERT(std::fabs(keys.weight[c] - logits) <= 1e-10 * (1 + logits));
        RC_ASSERT(std::fabs(values.weight[c] - outputs) <= 1e-10 * (1 + outputs));
    }
}

/// H of the calibration is XA: its second moments are S. Variance and scale are those of its columns.
TEST(AatcLatents, second_moments_are_the_singular_values) {
    const MemoryCapture model = random_model(small_sizes(1), 3);
    const CaptureLayer layer = model.layer(0);
    const AatcLatents keys = aatc_keys(layer, projections_of(model, 0), *model.encoding, 1);
    ASSERT_EQ(keys.groups.size(), 1u);
    const std::size_t n = keys.weight.size();
    std::vector<Vector> latents;
    for (int t = 0; t < layer.shape.tokens; ++t) {
        latents.emplace_back(n);
        Vector heads;
        for (int g = 0; g < layer.shape.kv_heads; ++g) {
            const auto key = layer.key(g, t);
            heads.insert(heads.end(), key.begin(), key.end());
            model.encoding->turn(std::span(heads).last(key.size()), -t);
        }
        keys.encode(heads, latents.back());
    }
    for (std::size_t c = 0; c < n; ++c) {
        double mean = 0;
        double square = 0;
        Vector magnitudes;
        for (const Vector& h : latents) {
            mean += h[c] / 200;
            square += h[c] * h[c] / 200;
            magnitudes.push_back(std::fabs(h[c]));
        }
        EXPECT_NEAR(square, keys.groups[0].singular[c], 1e-10 * (1 + square));
        EXPECT_NEAR(keys.variance[c], square - mean * mean, 1e-10 * (1 + square));
        std::sort(magnitudes.begin(), magnitudes.end());
        // 99 % of 199 steps: between ranks 197 and 198
        EXPECT_NEAR(keys.scale[c], magnitudes[197] + .01 * (magnitudes[198] - magnitudes[197]), 1e-12);
    }
    // keys that are not turned back have other latents
    const MemoryCapture other = random_model(small_sizes(1), 3, 1);
    EXPECT_NE(aatc_keys(other.layer(0), projections_of(other, 0), *other.encoding, 1).variance,
              keys.variance);
}

Integer touched(const std::vector<std::unique_ptr<StoredLayer>>& layers, const CaptureSource& model, int t,
                bool stored) {
    Integer sum = 0;
    for (std::size_t l = 0; l < layers.size(); ++l)
        sum += stored ? Integer(layers[l]->stored_bits(t))
                      : Integer(layers[l]->answer(model.layer(static_cast<int>(l)).queries_at(0), t).bits());
    return sum;
}

std::vector<std::unique_ptr<StoredLayer>> encoded(const Reader& reader, const CaptureSource& model) {
    std::vector<std::unique_ptr<StoredLayer>> out;
    for (const int l : all_layers(model)) {
        const CaptureLayer layer = model.layer(l);
        out.push_back(reader.encode({layer, nullptr, l}, settings_for(layer.shape.dim)));
    }
    return out;
}

/// The bits that all layers touch together, and the closed form of lib/account.
RC_GTEST_PROP(AatcBits, are_the_closed_form, ()) {
    ModelSizes sizes;
    sizes.layers = *rc::gen::inRange(1, 7);
    const int kv_heads = *rc::gen::inRange(1, 4);
    sizes.layer = {kv_heads, kv_heads * *rc::gen::inRange(1, 3), 2 * *rc::gen::inRange(1, 4),
                   *rc::gen::inRange(1, 200), 1};
    sizes.width = kv_heads * sizes.layer.dim; // every channel lives, so that all bits can be spent
    ModelSizes longer = sizes;
    longer.layer.tokens = 60;
    const int seed = *rc::gen::inRange(0, 100000);
    const MemoryCapture model = random_model(sizes, seed, 1);
    const MemoryCapture calibration = random_model(longer, seed, 2);
    const int hundredths = *rc::gen::inRange(0, 1601);
    const std::string rate =
        std::to_string(hundredths / 100) + "." + std::to_string(100 + hundredths % 100).substr(1);
    std::string name = *rc::gen::element<std::string>("aatc:", "aatc-var:") + rate;
    if (*rc::gen::inRange(0, 2) == 0) name += ",plain";
    if (*rc::gen::inRange(0, 2) == 0) name += ",repaired";
    if (*rc::gen::inRange(0, 2) == 0) name += ",groups=" + std::to_string(kv_heads);
    if (sizes.layers >= 4 && *rc::gen::inRange(0, 2) == 0) name += "+protect";
    const auto reader = prepared(name, calibration);
    const auto layers = encoded(*reader, model);
    const System system = parse_system(name);
    const ModelGeometry geometry{"test", sizes.layers, {sizes.layer.query_heads, kv_heads, sizes.layer.dim}};
    const int t = *rc::gen::inRange(1, sizes.layer.tokens + 1);
    RC_LOG() << name << ", " << t << " tokens\n";
    RC_ASSERT(touched(layers, model, t, false) == model_read_bits(system, geometry, {t, t, t}).total());
    RC_ASSERT(touched(layers, model, t, true) == model_capacity_bits(system, geometry, t).total());
}

/// A cache that grows token by token is the one that was encoded at once, and does not look ahead.
RC_GTEST_PROP(Aatc, appending_is_encoding_at_once, ()) {
    ModelSizes sizes = small_sizes(1);
    sizes.layer.tokens = *rc::gen::inRange(120, 220);
    const MemoryCapture model = random_model(sizes, 5, 1);
    const MemoryCapture calibration = random_model(small_sizes(1), 5, 2);
    const auto reader = prepared("aatc:3", calibration);
    const int visible = *rc::gen::inRange(1, sizes.layer.tokens);
    CaptureLayer whole = model.layer(0);
    CaptureLayer grown = whole;
    for (int g = 0; g < 2; ++g)
        for (int j = visible; j < sizes.layer.tokens; ++j) {
            set_vector(grown.k, grown.shape, g, j, Vector(4, 1e4));
            set_vector(grown.v, grown.shape, g, j, Vector(4, -1e4));
        }
    const Vector queries = whole.queries_at(0);
    const auto a = reader->encode({whole, nullptr, 0}, settings_for(4));
    const auto b = reader->encode({grown, nullptr, 0}, settings_for(4));
    RC_ASSERT(a->answer(queries, visible).outputs == b->answer(queries, visible).outputs);
    RC_ASSERT(a->answer(queries, visible + 1).outputs != b->answer(queries, visible + 1).outputs);
}

double error_of(const std::string& name, const MemoryCapture& model, const MemoryCapture& calibration,
                int tokens = 200) {
    const auto reader = prepared(name, calibration);
    double sum = 0;
    double size = 0;
    for (const int l : all_layers(model)) {
        const CaptureLayer layer = model.layer(l);
        const auto cache = reader->encode({layer, nullptr, l}, settings_for(layer.shape.dim));
        const auto exact = dense_reader()->encode({layer, nullptr, l}, settings_for(layer.shape.dim));
        for (int row = 0; row < layer.shape.queries; ++row) {
            const Vector found = cache->answer(layer.queries_at(row), tokens).outputs;
            const Vector truth = exact->answer(layer.queries_at(row), tokens).outputs;
            for (std::size_t i = 0; i < found.size(); ++i) {
                sum += (found[i] - truth[i]) * (found[i] - truth[i]);
                size += truth[i] * truth[i];
            }
        }
    }
    return sum / size;
}

TEST(Aatc, a_full_window_is_exact_and_many_bits_nearly_so) {
    const MemoryCapture model = random_model(small_sizes(), 6, 1);
    const MemoryCapture calibration = random_model(small_sizes(), 6, 2);
    EXPECT_EQ(error_of("aatc:1", model, calibration, 132), 0);
    EXPECT_GT(error_of("aatc:1", model, calibration, 133), 0);
    // 16 bits: a step of 2^-15 of the token's reach, and its square
    EXPECT_LT(error_of("aatc:16,repaired", model, calibration), 1e-7);
    EXPECT_LT(error_of("aatc:8", model, calibration), error_of("aatc:4", model, calibration) / 16);
    EXPECT_LT(error_of("aatc:4", model, calibration), error_of("aatc:1", model, calibration) / 4);
}

/// No stage may be switched off unseen.
TEST(Aatc, every_option_changes_the_answer) {
    const MemoryCapture model = random_model(small_sizes(6), 7, 1);
    const MemoryCapture calibration = random_model(small_sizes(6), 7, 2);
    std::set<double> errors;
    const std::vector<std::string> names = {"aatc:2",       "aatc-var:2",      "aatc:2,repaired",
                                            "aatc:2,plain", "aatc:2,groups=2", "aatc:2+protect",
                                            "aatc:2.5",     "aatc-var:2,plain"};
    for (const std::string& name : names) errors.insert(error_of(name, model, calibration));
    EXPECT_EQ(errors.size(), names.size());
    // the calibration matters too
    EXPECT_NE(error_of("aatc:2", model, random_model(small_sizes(6), 7, 3)),
              error_of("aatc:2", model, calibration));
}

/// A direction that no calibration input reaches has no scale: no bits, and it decodes to 0. Bits go to the
/// others, and nothing becomes NaN.
TEST(Aatc, channels_without_scale_get_no_bits) {
    ModelSizes sizes = small_sizes(1);
    sizes.width = 3; // eight channels of rank three
    const MemoryCapture model = random_model(sizes, 8, 1);
    const AatcLatents keys = aatc_keys(model.layer(0), projections_of(model, 0), *model.encoding, 1);
    for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(keys.scale[c] > 0, c < 3) << c;
    const double error = error_of("aatc:6,repaired,plain", model, model);
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 1e-7); // 48 bits on three channels are 16 each
}

TEST(Aatc, a_saturating_scale_is_reported) {
    const MemoryCapture calibration = random_model(small_sizes(1), 9, 1);
    CaptureLayer layer = calibration.layer(0);
    const auto reader = prepared("aatc:4", calibration);
    EXPECT_EQ(reader->encode({layer, nullptr, 0}, settings_for(4))->saturated(), 0u);
    set_vector(layer.k, layer.shape, 0, 10, Vector(4, -1e7));
    const auto cache = reader->encode({layer, nullptr, 0}, settings_for(4));
    EXPECT_EQ(cache->saturated(), 1u);
    for (const double x : cache->answer(layer.queries_at(0), 200).outputs) EXPECT_TRUE(std::isfinite(x));
}

TEST(Aatc, refuses_what_it_cannot_calibrate) {
    const MemoryCapture good = random_model(small_sizes(), 10);
    const auto refused = [&](const MemoryCapture& capture, const std::vector<std::string>& parts,
                             ErrorCode code = ErrorCode::bad_capture, const std::string& name = "aatc:2") {
        EXPECT_TRUE(refuses([&] { (void)prepared(name, capture); }, code, parts));
    };
    for (const std::string part : {"x", "wk", "wv", "wo"}) {
        MemoryCapture lacks = good;
        lacks.matrices.erase("1." + part);
        refused(lacks, {"memory", "layers.1." + part, "nothing of this name", "reader \"aatc\""});
        MemoryCapture misshapen = good;
        misshapen.matrices["0." + part].shape[0] = 9;
        refused(misshapen, {"layers.0." + part, "found shape [9, ", "expected ["});
    }
    MemoryCapture still = good;
    still.encoding.reset();
    refused(still, {"rope_style", "reader \"aatc\""});
    MemoryCapture silent = good;
    for (CaptureLayer& layer : silent.layers) layer.shape.queries = 0;
    refused(silent, {"no queries"});
    refused(good, {"found 3 head groups", "2 KV heads"}, ErrorCode::bad_option, "aatc:2,groups=3");
    const CaptureLayer layer = good.layer(0);
    EXPECT_TRUE(refuses(
        [&] {
            (void)make_reader("aatc:2", 2)->encode({layer, nullptr, 0}, settings_for(4));
        },
        ErrorCode::bad_option, {"aatc", "no calibration of layer 0"}));
    const CaptureLayer other = random_layer({2, 4, 8, 20, 1}, 1);
    EXPECT_TRUE(refuses(
        [&] {
            (void)prepared("aatc:2", good)->encode({other, nullptr, 0}, settings_for(8));
        },
        ErrorCode::bad_option,
        {"aatc", "found a calibration of 2 KV heads of dimension 4", "2 KV heads of dimension 8"}));
    EXPECT_TRUE(refuses([] { (void)aatc_reader({.bits = 17}); }, ErrorCode::bad_option, {"17", "0 to 16"}));
}

} // namespace
