// readkv.transform.invariance: orthogonality, the fast transform against the matrix, and what it refuses.
#include "lib/codec/transform.hpp"

#include "lib/random/philox.hpp"
#include "tests/record/refusal.hpp"

#include <bit>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using Vector = std::vector<double>;

/// Small integers: every sum of the transform is exact, so tests need no tolerance.
Vector integers(std::size_t d, std::mt19937_64& next) {
    Vector out(d);
    for (double& x : out) x = static_cast<double>(next() % 2001) - 1000;
    return out;
}

Vector normals(std::size_t d, std::mt19937_64& next) {
    std::normal_distribution<double> normal;
    Vector out(d);
    for (double& x : out) x = normal(next);
    return out;
}

double dot(const Vector& a, const Vector& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
    return static_cast<double>(sum);
}

double norm(const Vector& a) {
    return std::sqrt(dot(a, a));
}

/// Entry (i, j) of H by Sylvester's doubling [[H, H], [H, -H]].
double sylvester(std::size_t i, std::size_t j, std::size_t d) {
    if (d == 1) return 1;
    const std::size_t half = d / 2;
    const double inner = sylvester(i % half, j % half, half);
    return i >= half && j >= half ? -inner : inner;
}

/// H diag(s) x, from the definition.
Vector dense(const Transform& u, const Vector& x) {
    const std::size_t d = x.size();
    Vector out(d);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) out[i] += sylvester(i, j, d) * u.signs()[j] * x[j];
    return out;
}

/// H x by recursion on halves.
Vector recursive(const Vector& x) {
    if (x.size() == 1) return x;
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    const Vector first = recursive({x.begin(), middle});
    const Vector second = recursive({middle, x.end()});
    Vector out;
    for (std::size_t i = 0; i < first.size(); ++i) out.push_back(first[i] + second[i]);
    for (std::size_t i = 0; i < first.size(); ++i) out.push_back(first[i] - second[i]);
    return out;
}

Vector applied(const Transform& u, Vector x) {
    u.apply(x);
    return x;
}

Vector inverted(const Transform& u, Vector x) {
    u.apply_inverse(x);
    return x;
}

std::size_t any_dimension(int largest_log) {
    return std::size_t{1} << *rc::gen::inRange(0, largest_log + 1);
}

RC_GTEST_PROP(TransformProperty, equals_the_matrix_of_the_definition, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t d = any_dimension(8);
    const Transform u = Transform::hadamard(d, seed, static_cast<std::uint16_t>(next() % 2));
    const Vector x = integers(d, next);
    const Vector expected = dense(u, x); // integers, exact
    const Vector found = applied(u, x);
    for (std::size_t i = 0; i < d; ++i)
        RC_ASSERT(found[i] == expected[i] * (1 / std::sqrt(static_cast<double>(d))));
}

RC_GTEST_PROP(TransformProperty, the_inverse_is_the_transpose, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t d = any_dimension(8);
    const Transform u = Transform::hadamard(d, seed, 0);
    const Vector x = integers(d, next);
    const Vector y = integers(d, next);
    // (U x)' y = x' (U' y); both are sums of integers over sqrt(d)
    const double scale = norm(x) * norm(y) + 1;
    RC_ASSERT(std::fabs(dot(applied(u, x), y) - dot(x, inverted(u, y))) <= 1e-14 * scale);
}

RC_GTEST_PROP(TransformProperty, there_and_back_is_exact_where_sqrt_d_is, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t d = std::size_t{1} << (2 * *rc::gen::inRange(0, 6));
    const Transform u = Transform::hadamard(d, seed, 1);
    const Vector x = integers(d, next);
    RC_ASSERT(inverted(u, applied(u, x)) == x);
    RC_ASSERT(applied(u, inverted(u, x)) == x);
}

RC_GTEST_PROP(TransformProperty, normalised_twice_without_signs_is_the_identity, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t d = any_dimension(10);
    const Transform u = Transform::hadamard(d);
    const Vector x = integers(d, next);
    const Vector twice = applied(u, applied(u, x));
    for (std::size_t i = 0; i < d; ++i) RC_ASSERT(std::fabs(twice[i] - x[i]) <= 1e-14 * norm(x));
    if (std::bit_width(d) % 2 == 1) RC_ASSERT(twice == x);
}

RC_GTEST_PROP(TransformProperty, without_signs_it_is_the_recursion_bit_by_bit, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t d = any_dimension(10);
    const Vector x = normals(d, next); // inexact sums: the order of operations is the same
    Vector expected = recursive(x);
    for (double& e : expected) e *= 1 / std::sqrt(static_cast<double>(d));
    RC_ASSERT(applied(Transform::hadamard(d), x) == expected);
}

RC_GTEST_PROP(TransformProperty, dot_products_and_norms_stay, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t d = any_dimension(10);
    const Transform u = Transform::hadamard(d, seed, 0);
    const Vector q = normals(d, next);
    const Vector k = normals(d, next);
    const double size = norm(q) * norm(k);
    RC_ASSERT(std::fabs(dot(applied(u, q), applied(u, k)) - dot(q, k)) <= 1e-14 * size);
    RC_ASSERT(std::fabs(norm(applied(u, q)) - norm(q)) <= 1e-14 * norm(q));
    // A mutant: another stream's signs for the key. Nothing is preserved then.
    const Transform other = Transform::hadamard(d, seed, 1);
    if (d >= 64) RC_ASSERT(std::fabs(dot(applied(u, q), applied(other, k)) - dot(q, k)) > 1e-10 * size);
}

RC_GTEST_PROP(TransformProperty, rows_are_transformed_one_by_one, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const std::size_t d = any_dimension(6);
    const std::size_t rows = next() % 5;
    const Transform u = next() % 2 == 0 ? Transform::hadamard(d, seed, 0) : Transform::identity(d);
    const Vector all = normals(rows * d, next);
    Vector forward = all;
    u.apply_rows(forward);
    Vector backward = all;
    u.apply_inverse_rows(backward);
    for (std::size_t r = 0; r < rows; ++r) {
        const auto row = [&](const Vector& m) {
            const auto at = m.begin() + static_cast<std::ptrdiff_t>(r * d);
            return Vector(at, at + static_cast<std::ptrdiff_t>(d));
        };
        RC_ASSERT(row(forward) == applied(u, row(all)));
        RC_ASSERT(row(backward) == inverted(u, row(all)));
    }
}

TEST(Transform, small_cases_by_hand) {
    EXPECT_EQ(applied(Transform::hadamard(1), {3}), Vector{3});
    EXPECT_EQ(applied(Transform::hadamard(4), {1, 0, 0, 0}), (Vector{.5, .5, .5, .5}));
    EXPECT_EQ(applied(Transform::hadamard(4), {0, 1, 0, 0}), (Vector{.5, -.5, .5, -.5}));
    EXPECT_EQ(applied(Transform::hadamard(4), {0, 0, 1, 0}), (Vector{.5, .5, -.5, -.5}));
    EXPECT_EQ(applied(Transform::hadamard(4), {0, 0, 0, 1}), (Vector{.5, -.5, -.5, .5}));
    EXPECT_EQ(applied(Transform::identity(3), {1, 2, 3}), (Vector{1, 2, 3}));
    EXPECT_EQ(inverted(Transform::identity(3), {1, 2, 3}), (Vector{1, 2, 3}));
}

TEST(Transform, signs_are_the_bits_of_the_documented_places) {
    const std::size_t d = 1024;
    for (const auto stream : {std::uint16_t{0}, std::uint16_t{1}}) {
        const Transform u = Transform::hadamard(d, 20260801, stream);
        int minus = 0;
        for (std::size_t i = 0; i < d; ++i) {
            const auto block =
                random_block({.seed = 20260801, .stream = stream}, static_cast<std::uint32_t>(i / 128));
            const bool set = ((block[i % 128 / 32] >> (i % 32)) & 1) != 0;
            EXPECT_EQ(u.signs()[i], set ? -1.0 : 1.0);
            minus += set ? 1 : 0;
        }
        EXPECT_NEAR(minus, 512, 5 * 16); // five standard deviations
    }
    EXPECT_NE(Transform::hadamard(d, 0, 0).signs(), Transform::hadamard(d, 0, 1).signs());
    EXPECT_NE(Transform::hadamard(d, 0, 0).signs(), Transform::hadamard(d, 1, 0).signs());
}

/// The signs of seed 0 must not change with any version: stored caches depend on them.
TEST(Transform, signs_of_seed_0_stay) {
    const std::uint32_t first[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}; // Philox of zeros
    const Transform u = Transform::hadamard(128, 0, 0);
    for (std::size_t i = 0; i < 128; ++i)
        EXPECT_EQ(u.signs()[i], ((first[i / 32] >> (i % 32)) & 1) != 0 ? -1.0 : 1.0);
}

TEST(Transform, other_dimensions_are_refused_with_advice) {
    for (const std::size_t d : {0, 3, 80, 96})
        EXPECT_TRUE(refuses([&] { (void)Transform::hadamard(d, 0, 0); }, ErrorCode::bad_option,
                            {"dimension of " + std::to_string(d), "--transform identity"}));
    EXPECT_TRUE(refuses([] { (void)Transform::identity(0); }, ErrorCode::bad_option, {"dimension of 0"}));
    Vector short_one(3);
    const Transform u = Transform::hadamard(4);
    EXPECT_TRUE(refuses([&] { u.apply(short_one); }, ErrorCode::internal, {"found 3", "expected 4"}));
    EXPECT_TRUE(refuses([&] { u.apply_rows(short_one); }, ErrorCode::internal, {"multiple of 4"}));
    Vector two_rows(8);
    EXPECT_TRUE(refuses([&] { u.apply_inverse(two_rows); }, ErrorCode::internal, {"found 8"}));
}

} // namespace
