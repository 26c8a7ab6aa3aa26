// AATC on captures of trained models: errors that aatc_rival.py computed (in numpy, by another route to the
// transform), bits against the closed form, and that the files are what the reader takes them for.
#include "lib/account/percent.hpp"
#include "lib/capture/capture.hpp"
#include "lib/reader/aatc_latents.hpp"
#include "lib/reader/measure.hpp"
#include "lib/reader/rotated_keys.hpp"
#include "tests/reader/models.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

const std::filesystem::path root = KVPROOF_SOURCE_DIR;

struct Pair {
    Capture test;
    Capture calibration;

    explicit Pair(const std::filesystem::path& stem)
        : test(stem.string() + "_test.safetensors"), calibration(stem.string() + "_calib.safetensors") {}
};

struct Run {
    double error = 0; ///< mean of ||o - o^||^2 / ||o||^2
    std::uint64_t stored = 0;
};

Run run(const Pair& pair, const std::string& name, int every) {
    const auto reader = prepared(name, pair.calibration);
    QueryRows rows;
    for (int row = 0; row < pair.test.shape().queries; row += every) rows.push_back(row);
    Run out;
    std::size_t observations = 0;
    for (const int index : all_layers(pair.test)) {
        const CaptureLayer layer = pair.test.layer(index);
        const Measured measured = measure(*reader, {layer, nullptr, index}, settings_for(layer.shape.dim),
                                          rows, false, {}, run_in_order, [] {});
        for (const Certified& row : measured.rows) out.error += row.error_sq / row.output_sq;
        observations += measured.rows.size();
        out.stored += measured.stored_bits;
    }
    out.error /= static_cast<double>(observations);
    return out;
}

struct Golden {
    const char* name;
    double error;
};

/// Relative 1e-9: the two sum in other orders, and a code on the other side of an edge would be seen.
void expect_errors(const Pair& pair, int every, const std::vector<Golden>& golden) {
    const CaptureShape& shape = pair.test.shape();
    const ModelGeometry model{"test", shape.layers, {shape.query_heads, shape.kv_heads, shape.dim}};
    for (const Golden& expected : golden) {
        const Run found = run(pair, expected.name, every);
        EXPECT_NEAR(found.error / expected.error, 1, 1e-9) << expected.name;
        EXPECT_EQ(model_capacity_bits(parse_system(expected.name), model, shape.tokens).total(), found.stored)
            << expected.name;
    }
}

TEST(AatcCaptures, shipped_errors_are_those_of_another_program) {
    const Pair pair(root / "tests/data/captures/byte64");
    expect_errors(pair, 4,
                  {{"aatc:2.5", 0.00034441836198931036},
                   {"aatc:2.5,repaired", 0.0002448403965395616},
                   {"aatc-var:2.5", 0.01657024950236816},
                   {"aatc:4,plain", 1.1379128765247106e-05},
                   {"aatc:3,groups=2", 0.00011139011372207963}});
}

TEST(AatcCaptures, errors_on_stories260K_are_those_of_another_program) {
    if (!std::filesystem::exists(root / "../shared/data/captures")) GTEST_SKIP() << "no shared captures here";
    const Pair pair(root / "../shared/data/captures/stories260K");
    expect_errors(pair, 32,
                  {{"aatc:2.5", 0.0002829252548044943},
                   {"aatc:2.5,repaired", 0.0003924722325031415},
                   {"aatc-var:2.5", 0.06758946793067959},
                   {"aatc:4,plain", 4.053991705362641e-05},
                   {"aatc:3,groups=2", 0.00019329050419428418}});
}

/// Keys turned back to position 0 are x W_K, to what F16 keeps of x and W_K: the rotary encoding of the file
/// is the one that was taken. The mutant: without turning back they are not.
TEST(AatcCaptures, keys_turned_back_are_projected_inputs) {
    const Capture capture(root / "tests/data/captures/byte64_calib.safetensors");
    const Rotary rotary = required_rotary(capture, "test");
    for (const int index : all_layers(capture)) {
        const CaptureLayer layer = capture.layer(index);
        const Projections projections = required_projections(capture, index, "test");
        const Tensor keys = product(projections.x, projections.wk);
        double off = 0;
        double unturned = 0;
        double size = 0;
        const Vector found = unturned_key_rows(layer, rotary);
        ASSERT_EQ(found.size(), keys.values.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double expected = keys.values[i];
            const std::size_t channel = i % keys.shape[1];
            const double captured =
                layer.key(static_cast<int>(channel / 64), static_cast<int>(i / keys.shape[1]))[channel % 64];
            off += (found[i] - expected) * (found[i] - expected);
            unturned += (captured - expected) * (captured - expected);
            size += expected * expected;
        }
        EXPECT_LT(off, 1e-6 * size); // 2^-11 in each factor
        EXPECT_GT(unturned, size / 10);
    }
}

/// In the first layer of byte64 a key depends on its byte alone: the calibration text reaches as many
/// directions as it has different bytes, fewer than there are channels, and Sigma_X is singular.
TEST(AatcCaptures, first_layer_has_the_rank_of_the_alphabet) {
    const Capture capture(root / "tests/data/captures/byte64_calib.safetensors");
    const Projections projections = required_projections(capture, 0, "test");
    std::set<Vector> inputs;
    for (std::size_t t = 0; t < projections.x.shape[0]; ++t)
        inputs.insert(Vector(projections.x.values.begin() + static_cast<std::ptrdiff_t>(t * 256),
                             projections.x.values.begin() + static_cast<std::ptrdiff_t>((t + 1) * 256)));
    ASSERT_LT(inputs.size(), 128u);
    const AatcLatents keys = aatc_keys(capture.layer(0), projections, required_rotary(capture, "test"), 1);
    EXPECT_EQ(keys.groups[0].rank, inputs.size());
    const AatcLatents values = aatc_values(capture.layer(0), projections, 1);
    EXPECT_EQ(values.groups[0].rank, inputs.size());
    const AatcLatents later = aatc_keys(capture.layer(1), required_projections(capture, 1, "test"),
                                        required_rotary(capture, "test"), 1);
    EXPECT_EQ(later.groups[0].rank, 128u);
}

} // namespace
