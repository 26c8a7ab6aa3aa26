// The vector loops against the loops that they stand for: the same bits for every length.
#include "lib/attention/vector_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <rapidcheck/gtest.h>
#include <vector>

using namespace kvproof;

namespace {

using Vector = std::vector<double>;

/// Numbers of many sizes and both signs, zeros among them.
Vector numbers(std::mt19937_64& next, std::size_t count) {
    Vector out(count);
    for (double& x : out) {
        const int exponent = static_cast<int>(next() % 40) - 20;
        x = next() % 11 == 0 ? 0 : std::ldexp(static_cast<double>(next() >> 11U) * 0x1p-52 - 1, exponent);
    }
    return out;
}

bool same_bits(const Vector& a, const Vector& b) {
    return std::ranges::equal(a, b, [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}

/// Eight running sums, i mod 8, a tree, and what is left over.
double summed(const Vector& terms) {
    std::array<double, 8> s{};
    const std::size_t whole = terms.size() / 8 * 8;
    for (std::size_t i = 0; i < whole; ++i) s[i % 8] += terms[i];
    double rest = 0;
    for (std::size_t i = whole; i < terms.size(); ++i) rest += terms[i];
    return (((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))) + rest;
}

RC_GTEST_PROP(VectorKernels, are_the_loops_they_stand_for, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t count = next() % 100;
    const Vector x = numbers(next, count);
    const Vector y = numbers(next, count);
    const double factor = numbers(next, 1)[0] + 0.5;
    Vector found = y;
    Vector expected = y;
    add_scaled(found.data(), factor, x.data(), count);
    for (std::size_t i = 0; i < count; ++i) expected[i] += factor * x[i];
    RC_ASSERT(same_bits(found, expected));
    add_squares(found.data(), x.data(), count);
    for (std::size_t i = 0; i < count; ++i) expected[i] += x[i] * x[i];
    RC_ASSERT(same_bits(found, expected));
    divide(found.data(), factor, count);
    for (double& entry : expected) entry /= factor;
    RC_ASSERT(same_bits(found, expected));
    subtract(found.data(), x.data(), y.data(), count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = x[i] - y[i];
    RC_ASSERT(same_bits(found, expected));
    Vector products(count);
    std::ranges::transform(x, y, products.begin(), std::multiplies<>());
    RC_ASSERT(dot_product(x.data(), y.data(), count) == summed(products));
    RC_ASSERT(sum_of(x.data(), count) == summed(x));
}

RC_GTEST_PROP(VectorKernels, weigh_rows_and_columns_in_order, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t several = 1 + next() % 5;
    const std::size_t columns = next() % 20;
    const std::size_t count = next() % 90;
    const std::size_t step = count + next() % 3;
    const Vector data = numbers(next, columns * step + 1);
    const Vector weights = numbers(next, several * columns + 1);
    const Vector before = numbers(next, several * count);
    Vector found = before;
    Vector expected = before;
    add_weighted_columns(found.data(), weights.data(), several, {data.data(), step, columns, count});
    for (std::size_t m = 0; m < several; ++m)
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t c = 0; c < columns; ++c)
                expected[m * count + i] += weights[m * columns + c] * data[c * step + i];
    RC_ASSERT(same_bits(found, expected));

    found = expected = before; // the same numbers as rows of `count`, weighted by [several, columns]
    const Vector rows = numbers(next, columns * count);
    std::vector<const double*> of;
    for (std::size_t m = 0; m < several; ++m) of.push_back(weights.data() + m * columns);
    add_weighted_rows(found.data(), of, rows.data(), columns, count);
    for (std::size_t m = 0; m < several; ++m)
        for (std::size_t c = 0; c < columns; ++c)
            for (std::size_t i = 0; i < count; ++i)
                expected[m * count + i] += weights[m * columns + c] * rows[c * count + i];
    RC_ASSERT(same_bits(found, expected));
}

RC_GTEST_PROP(VectorKernels, find_the_largest_and_what_is_no_number, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    Vector x = numbers(next, next() % 70);
    double largest = 0;
    for (const double entry : x) largest = std::max(largest, std::abs(entry));
    const Magnitude plain = magnitude_of(x.data(), x.size());
    RC_ASSERT(plain.finite);
    RC_ASSERT(plain.largest == largest);
    if (x.empty()) return;
    const std::array<double, 3> none = {std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity()};
    x[next() % x.size()] = none[next() % none.size()];
    RC_ASSERT(!magnitude_of(x.data(), x.size()).finite);
}

RC_GTEST_PROP(VectorKernels, measure_rows_from_a_centre, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t tokens = next() % 9;
    const std::size_t d = 1 + next() % 40;
    const Vector rows = numbers(next, tokens * d);
    const Vector centre = numbers(next, d);
    Vector found(tokens);
    squared_distances(rows.data(), centre.data(), tokens, d, found.data());
    for (std::size_t j = 0; j < tokens; ++j) {
        std::array<double, 8> s{};
        const std::size_t whole = d / 8 * 8;
        const auto square = [&](std::size_t a) {
            const double y = rows[j * d + a] - centre[a];
            return y * y;
        };
        for (std::size_t a = 0; a < whole; ++a) s[a % 8] += square(a);
        double sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
        for (std::size_t a = whole; a < d; ++a) sum += square(a);
        RC_ASSERT(found[j] == sum);
    }
}

} // namespace
