// Principal axes: orthonormal, uncorrelated, and the power iteration finds the same first one.
#include "lib/codec/principal_axes.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;

namespace {

using Vector = std::vector<double>;

Vector random_rows(std::size_t count, std::size_t dim, std::uint64_t seed) {
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    Vector mixing(dim * dim);
    for (double& entry : mixing) entry = normal(next);
    Vector out(count * dim);
    for (std::size_t j = 0; j < count; ++j) {
        Vector z(dim);
        for (double& entry : z) entry = normal(next);
        for (std::size_t a = 0; a < dim; ++a) {
            out[j * dim + a] = 3 * static_cast<double>(a);
            for (std::size_t b = 0; b < dim; ++b) out[j * dim + a] += mixing[a * dim + b] * z[b];
        }
    }
    return out;
}

/// Rounding of sums of so many terms of such a size, with what the solver adds: backward stable, a small
/// multiple of dim^2 units.
double slack(const PrincipalAxes& axes, std::size_t count) {
    const double total = std::accumulate(axes.variances.begin(), axes.variances.end(), 0.0);
    return (total + 1) * static_cast<double>(count + 8 * axes.dim * axes.dim) * 0x1p-52;
}

RC_GTEST_PROP(PrincipalAxes, decorrelate_and_come_back, (std::uint64_t seed)) {
    const std::size_t dim = 1 + seed % 12;
    const std::size_t count = 1 + seed / 16 % 40;
    const Vector rows = random_rows(count, dim, seed);
    const PrincipalAxes axes = principal_axes(rows, dim);
    const double near = slack(axes, count);
    Vector moments(dim * dim);
    for (std::size_t j = 0; j < count; ++j) {
        const std::span<const double> x = std::span(rows).subspan(j * dim, dim);
        Vector y(dim);
        Vector back(dim);
        axes.coordinates(x, y);
        axes.point(y, back);
        for (std::size_t c = 0; c < dim; ++c) RC_ASSERT(std::fabs(back[c] - x[c]) <= 1e-10);
        for (std::size_t a = 0; a < dim; ++a)
            for (std::size_t b = 0; b < dim; ++b)
                moments[a * dim + b] += y[a] * y[b] / static_cast<double>(count);
    }
    for (std::size_t a = 0; a < dim; ++a) {
        if (a > 0) RC_ASSERT(axes.variances[a] <= axes.variances[a - 1]);
        for (std::size_t b = 0; b < dim; ++b) {
            RC_ASSERT(std::fabs(moments[a * dim + b] - (a == b ? axes.variances[a] : 0)) <= near);
            double product = 0;
            for (std::size_t i = 0; i < dim; ++i) product += axes.axes[a * dim + i] * axes.axes[b * dim + i];
            RC_ASSERT(std::fabs(product - (a == b ? 1 : 0)) <= static_cast<double>(64 * dim * dim) * 0x1p-52);
        }
    }
    const PrincipalAxes again = principal_axes(rows, dim);
    RC_ASSERT(again.axes == axes.axes);
}

/// By hand: points on a line through (1, 2) with direction (3, 4)/5.
TEST(PrincipalAxes, of_a_line) {
    const Vector rows = {-2, -2, 4, 6}; // t = -5 and 5
    const PrincipalAxes axes = principal_axes(rows, 2);
    EXPECT_EQ(axes.mean, (Vector{1, 2}));
    EXPECT_NEAR(axes.variances[0], 25, 1e-13);
    EXPECT_NEAR(axes.variances[1], 0, 1e-13);
    EXPECT_NEAR(axes.axes[0], .6, 1e-15);
    EXPECT_NEAR(axes.axes[1], .8, 1e-15);
}

TEST(PrincipalAxes, the_first_one_by_power_iteration) {
    const std::size_t dim = 8;
    const Vector rows = random_rows(200, dim, 5);
    const PrincipalAxes axes = principal_axes(rows, dim);
    Vector v(dim, 1);
    for (int step = 0; step < 2000; ++step) {
        Vector next(dim);
        for (std::size_t at = 0; at < rows.size(); at += dim) {
            double product = 0;
            for (std::size_t c = 0; c < dim; ++c) product += v[c] * (rows[at + c] - axes.mean[c]);
            for (std::size_t c = 0; c < dim; ++c) next[c] += product * (rows[at + c] - axes.mean[c]);
        }
        const double length = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
        for (std::size_t c = 0; c < dim; ++c) v[c] = next[c] / length;
    }
    double cosine = 0;
    for (std::size_t c = 0; c < dim; ++c) cosine += v[c] * axes.axes[c];
    EXPECT_NEAR(std::fabs(cosine), 1, 1e-12);
    double other = 0; // the mutant: the second axis is not it
    for (std::size_t c = 0; c < dim; ++c) other += v[c] * axes.axes[dim + c];
    EXPECT_LT(std::fabs(other), 1e-6);
}

/// A constant sample has no axes to speak of, but coordinates of 0 and its own mean.
TEST(PrincipalAxes, of_one_point) {
    const Vector rows = {1.5, -1.5, 1.5, -1.5};
    const PrincipalAxes axes = principal_axes(rows, 2);
    Vector y(2);
    axes.coordinates(std::span(rows).first(2), y);
    EXPECT_EQ(y, (Vector{0, 0}));
    EXPECT_EQ(axes.variances, (Vector{0, 0}));
    EXPECT_EQ(axes.rank(), 0U);
}

/// Six numbers made of two: the sample varies along two axes, whatever rounding leaves of the others.
RC_GTEST_PROP(PrincipalAxesProperty, count_what_the_sample_varies_along, (std::uint64_t seed)) {
    const std::size_t dim = 6;
    const Vector two = random_rows(40, 2, seed);
    Vector rows;
    for (std::size_t at = 0; at < two.size(); at += 2)
        for (std::size_t c = 0; c < dim; ++c)
            rows.push_back(two[at] + (static_cast<double>(c) / 3 - 1) * two[at + 1]);
    RC_ASSERT(principal_axes(rows, dim).rank() == 2);
    RC_ASSERT(principal_axes(random_rows(40, dim, seed), dim).rank() == dim);
}

} // namespace
