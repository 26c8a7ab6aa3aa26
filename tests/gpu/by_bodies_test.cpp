// readkv and its certificate by the device's bodies, through the interfaces that the command line uses, on
// this processor: against the library's reader and its measurements.
#include "gpu/from_library/certify_by_bodies.hpp"
#include "lib/attention/depth_policy.hpp"
#include "lib/error.hpp"
#include "tests/reader/layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

const Executor in_turn = [](std::size_t count, const std::function<void(std::size_t)>& task) {
    for (std::size_t i = 0; i < count; ++i) task(i);
};

struct Fixture {
    explicit Fixture(const Sizes& sizes, std::uint64_t seed = 3)
        : layer(random_layer(sizes, seed)), settings(settings_for(sizes.dim)), input{layer, &layer, 0} {
        for (int i = 0; i < layer.shape.queries; ++i) rows.push_back(i);
    }
    CaptureLayer layer;
    ReaderSettings settings;
    LayerInput input;
    QueryRows rows;
};

Measured plain(const Reader& reader, const Fixture& on) {
    return measure(reader, on.input, on.settings, on.rows, false, {}, in_turn, [] {});
}

TEST(ByBodies, reads_and_keeps_what_the_reader_on_the_processor_does) {
    for (const Pool pool : {Pool::layer, Pool::head})
        for (const char* name : {"readkv:8,2", "readkv:4,1.5,3", "readkv:8,8"}) {
            Fixture on({.dim = 16, .tokens = 40});
            on.settings.pool = pool;
            const System system = parse_system(name);
            const Measured expected = plain(*make_reader(name, 1), on);
            const Measured found = plain(*gpu::readkv_by_bodies(system, 1, gpu::serve_here), on);
            EXPECT_EQ(found.bits_read, expected.bits_read) << name;
            EXPECT_EQ(found.stored_bits, expected.stored_bits) << name;
            EXPECT_EQ(found.dense_bits, expected.dense_bits) << name;
        }
}

/// The reader on the processor over a layer whose calibration is binary32, too, everything read: the depths
/// cannot differ, and the outputs only by what reader_test bounds stage by stage. Here by norms: logits are
/// off by w = gamma ||q|| ||k^|| / sqrt(d), weights by a factor of e^2w, and sums by gamma; 2^-22 of each
/// covers gamma_{d+4} for the query's own rounding and gamma_{258} is below 2^-15.
TEST(ByBodies, outputs_are_those_of_the_reader_on_the_processor) {
    Fixture on({.dim = 16, .tokens = 40});
    const System system = parse_system("readkv:8,8");
    const gpu::BodyLayer bodies(system, on.input, on.settings, gpu::serve_here, false);
    const Calibration calibration =
        gpu::single_calibration(calibrate(on.layer, on.settings.keys, on.settings.values));
    const EncodedLayer encoded(on.layer, calibration, on.settings.keys, on.settings.values, on.settings.code);
    const auto policy = fixed_policy(8);
    const TwoStageReader reader(encoded, *policy, on.settings.keys, on.settings.values, ValueScale::unit);
    TwoStageCall call;
    const auto d = static_cast<std::size_t>(on.layer.shape.dim);
    for (const int row : on.rows) {
        const Vector queries = on.layer.queries_at(row);
        const int tokens = on.layer.shape.position(row) + 1;
        reader.run(queries, tokens, call);
        const Vector expected = reader.outputs(call);
        const Vector found = bodies.answer(queries, tokens).outputs;
        double key = 0;
        double value = 0;
        double query = 0;
        for (const double x : call.keys) key = std::max(key, std::abs(x));
        for (const double x : call.values) value = std::max(value, std::abs(x));
        for (const double x : call.queries) query = std::max(query, std::abs(x));
        const double root = std::sqrt(static_cast<double>(d));
        const double logits = 0x1p-19 * query * key * root; // gamma_{20} < 2^-19
        const double room = root * value * (std::expm1(2 * logits) + 0x1p-15);
        for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], room);
        EXPECT_LT(room, 0.1); // else nothing is said
    }
}

TEST(ByBodies, the_certificate_bounds_the_measured_error) {
    for (const Pool pool : {Pool::layer, Pool::head})
        for (const char* name : {"readkv:8,2", "readkv:8,4", "readkv:4,1,3"}) {
            Fixture on({.dim = 8, .tokens = 40, .queries = 6});
            on.settings.pool = pool;
            const System system = parse_system(name);
            const Measured errors = plain(*gpu::readkv_by_bodies(system, 1, gpu::serve_here), on);
            const Measured found = gpu::certify_by_bodies(system, on.input, on.settings, on.rows,
                                                          gpu::serve_here, in_turn, [] {});
            ASSERT_EQ(found.rows.size(), errors.rows.size());
            EXPECT_EQ(found.bits_read, errors.bits_read);
            for (std::size_t i = 0; i < found.rows.size(); ++i) {
                const Certified& row = found.rows[i];
                // the other one is measured in the capture's coordinates
                EXPECT_NEAR(row.error_sq, errors.rows[i].error_sq, 1e-12 * errors.rows[i].error_sq + 1e-24);
                EXPECT_NEAR(row.output_sq, errors.rows[i].output_sq, 1e-12 * errors.rows[i].output_sq);
                EXPECT_EQ(row.position, errors.rows[i].position);
                EXPECT_EQ(row.head, errors.rows[i].head);
                EXPECT_LE(row.error_sq, row.bound) << name;
                EXPECT_LE(row.logit_error_sq, row.kappa_k * row.a_k * (1 + 1e-4) + 1e-9) << name;
                EXPECT_EQ(row.key_bits, row.key_budget) << name; // enough gains are positive
            }
        }
}

/// Both certificates of one layer, where nothing but the arithmetic differs: the library's own rounding is
/// far below the device's, and residuals are off by 2^-24 of vectors that are a thousand times them at most.
TEST(ByBodies, factors_are_near_the_library_s) {
    Fixture on({.dim = 8, .tokens = 30, .queries = 3});
    const auto round = [](Vector& numbers) {
        for (double& x : numbers) x = static_cast<float>(x);
    };
    round(on.layer.q);
    round(on.layer.k);
    round(on.layer.v);
    on.settings.keys = Transform::identity(8);
    on.settings.values = Transform::identity(8);
    const Measured expected =
        measure(*make_reader("readkv:3,3", 1), on.input, on.settings, on.rows, true, {}, in_turn, [] {});
    const Measured found = gpu::certify_by_bodies(parse_system("readkv:3,3"), on.input, on.settings, on.rows,
                                                  gpu::serve_here, in_turn, [] {});
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-3 * std::abs(b); };
    ASSERT_EQ(found.rows.size(), expected.rows.size());
    ASSERT_EQ(found.rows.size(), 12U);
    const Measured other = gpu::certify_by_bodies(parse_system("readkv:3,2"), on.input, on.settings, on.rows,
                                                  gpu::serve_here, in_turn, [] {});
    for (std::size_t i = 0; i < found.rows.size(); ++i) { // a mutant: other depths
        EXPECT_FALSE(near(other.rows[i].a_k, expected.rows[i].a_k));
        EXPECT_FALSE(near(other.rows[i].bound, expected.rows[i].bound));
    }
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
        const Certified& a = found.rows[i];
        const Certified& b = expected.rows[i];
        EXPECT_TRUE(near(a.a_k, b.a_k) && near(a.a_v, b.a_v) && near(a.s_k, b.s_k) && near(a.s_v, b.s_v))
            << i;
        EXPECT_TRUE(near(a.kappa_k, b.kappa_k)) << a.kappa_k << ' ' << b.kappa_k;
        EXPECT_TRUE(near(a.kappa_v, b.kappa_v)) << a.kappa_v << ' ' << b.kappa_v;
        EXPECT_TRUE(near(a.centre_norm_sq, b.centre_norm_sq)) << a.centre_norm_sq << ' ' << b.centre_norm_sq;
        EXPECT_TRUE(near(a.bound, b.bound)) << a.bound << ' ' << b.bound;
    }
}

TEST(ByBodies, other_systems_are_refused) {
    try {
        static_cast<void>(gpu::readkv_by_bodies(parse_system("kivi:2"), 1, gpu::serve_here));
        FAIL() << "kivi:2 was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_option);
    }
}

} // namespace
