// Softmax's change beyond first order against its definition in 400 bits.
#include "tests/montecarlo/small_step.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<120>>;

/// delta a_i less its first order, by definition; `order` 1, or 0: a mutant.
std::vector<Real> rest_by_definition(const DecodeStep& step, const std::vector<double>& alpha, double sign,
                                     int order = 1) {
    const std::size_t n = alpha.size();
    Real total = 0;
    Real mean = 0;
    Real moved = 0;
    for (const double a : step.weights) total += a;
    for (std::size_t i = 0; i < n; ++i) {
        mean += step.weights[i] / total * Real(alpha[i]);
        moved += step.weights[i] / total * exp(Real(sign * alpha[i]));
    }
    std::vector<Real> out;
    for (std::size_t i = 0; i < n; ++i) {
        const Real a = step.weights[i] / total;
        out.push_back(a * exp(Real(sign * alpha[i])) / moved - a - order * a * sign * (alpha[i] - mean));
    }
    return out;
}

struct Off {
    double sum = 0;
    double allowed = 0;
};

Off off_from_definition(std::uint64_t seed, int tokens, double size, int order = 1) {
    const SmallCapture capture =
        small_capture({.query_heads = 1, .dim = 2, .tokens = tokens, .queries = 1, .model = 2}, seed);
    const QueryRows rows(capture, nullptr);
    DecodeStep step;
    rows.step(rows.row(0), step);
    std::mt19937_64 next(seed);
    std::uniform_real_distribution<double> within(-size, size);
    std::vector<double> alpha;
    for (int i = 0; i < tokens; ++i) alpha.push_back(within(next));
    Off out;
    WeightChange change;
    for (const double sign : {1.0, -1.0}) {
        weight_change(step, alpha, sign, change);
        const std::vector<Real> exact = rest_by_definition(step, alpha, sign, order);
        Real off = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) off += abs(exact[i] - change.rest[i]);
        out.sum = std::max(out.sum, static_cast<double>(off));
    }
    const double most = size <= 0.5 ? 4 * size * size : 1;
    out.allowed = 8 * (tokens + 32) * 0x1p-53 * most;
    return out;
}

RC_GTEST_PROP(WeightChange, is_what_the_definition_gives_in_400_bits, (std::uint16_t seed)) {
    const int tokens = *rc::gen::inRange(1, 60);
    for (const double size : {1e-6, 0.01, 0.4}) {
        const Off off = off_from_definition(seed, tokens, size);
        RC_ASSERT(off.sum <= off.allowed);
    }
    // the first order itself is rounded where it is large
    for (const double size : {2.0, 30.0}) {
        const Off off = off_from_definition(seed, tokens, size);
        RC_ASSERT(off.sum <= off.allowed * (1 + 2 * size));
    }
}

TEST(WeightChange, a_wrong_definition_is_seen) {
    for (const double size : {1e-6, 0.01, 0.4, 2.0}) {
        const Off off = off_from_definition(7, 20, size, 0);
        EXPECT_GT(off.sum, off.allowed * (1 + 2 * size)) << size;
    }
}

} // namespace
