// The normal law on cells, against Arb: another implementation of erfc, and quadrature instead of closed
// forms. Two facts that the proofs about splits rest on are checked as well: how a centroid moves with its
// cell.
#include "lib/codec/gaussian.hpp"

#include "tests/codec/enclosures.hpp"
#include "tests/codec/gaussian_oracle.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;
using test::pick;

namespace {

/// A point between -reach and reach: with 20 binary places, with more of them than any precision here, next
/// to an integer (0 and the end of the series at 8 among them).
Interval any_point(long reach) {
    Rational x = Rational(pick(-reach << 20, reach << 20)) * test::power_of_two(-20);
    const long kind = pick(0, 5);
    if (kind <= 1) x += Rational(pick(-(1L << 62), 1L << 62)) * test::power_of_two(-pick(62, 900));
    if (kind == 2) x = Rational(pick(-reach, reach)) + pick(-1, 1) * test::power_of_two(-pick(1, 900));
    if (kind == 3 && reach >= 8)
        x = (2 * pick(0, 1) - 1) * (8 + pick(-1, 1) * test::power_of_two(-pick(1, 900)));
    return exact_point(x);
}

struct Cell {
    Interval a;
    Interval b;
};

/// From a negative or positive place, 2^-6 to 3 wide.
Cell any_cell(long least, long most) {
    const Rational a = Rational(pick(least << 10, most << 10), 1 << 10);
    return {exact_point(a), exact_point(a + Rational(pick(16, 3 << 10), 1 << 10))};
}

bool holds_truth(const Cut& cut, Bits bits) {
    // far to the left the tail is 1 but for 2^-1158: the ball has to be narrower than that
    return cut.density.contains(density_by_arb(cut.x, bits + 1300)) &&
           cut.tail.contains(tail_by_arb(cut.x, bits + 1300));
}

RC_GTEST_PROP(GaussianProperty, density_and_tail_hold_arbs_and_are_tight, ()) {
    for (int i = 0; i < 10; ++i) {
        const Bits bits = pick(24, 400);
        const Interval x = any_point(pick(0, 1) == 0 ? 9 : 40);
        const Cut cut = gaussian_cut(x, bits);
        RC_ASSERT(holds_truth(cut, bits));
        // beyond 8, x / sqrt(2) is rounded once and erfc then loses the bits of x^2
        RC_ASSERT(cut.density.accuracy() >= bits - 4);
        RC_ASSERT(cut.tail.accuracy() >= bits - 14);
        RC_ASSERT(!holds_truth({x, moved(cut.density, 2), cut.tail}, bits));
        RC_ASSERT(!holds_truth({x, cut.density, moved(cut.tail, -2)}, bits));
    }
}

RC_GTEST_PROP(GaussianProperty, a_cut_that_is_no_point_holds_the_values_at_both_ends, ()) {
    const Bits bits = pick(24, 200);
    const Interval low = any_point(9);
    const Interval high = add(low, exact_point(Rational(1) * test::power_of_two(-pick(0, 100))), 4096);
    const Cut cut = gaussian_cut(join_ends(low, high), bits);
    const Interval middle = scale_by_power_of_two(add(low, high, 4096), -1);
    for (const Interval& x : {low, middle, high}) {
        RC_ASSERT(cut.density.contains(density_by_arb(x, bits + 1300)));
        RC_ASSERT(cut.tail.contains(tail_by_arb(x, bits + 1300)));
    }
}

/// Every member of x.
Cut ball_cut(const Cut& at, const Interval& radius, Bits bits) {
    return nearby_cut(at, join_ends(sub(at.x, radius, 4096), add(at.x, radius, 4096)), bits);
}

RC_GTEST_PROP(GaussianProperty, a_cut_nearby_holds_arbs_and_stays_tight, ()) {
    for (int i = 0; i < 10; ++i) {
        const Bits bits = pick(24, 400);
        const Interval x = any_point(pick(0, 1) == 0 ? 9 : 40);
        const Cut at = gaussian_cut(x, bits);
        const Rational step = Rational(pick(-1024, 1024), 1024) * test::power_of_two(-pick(1, 2 * bits));
        const Interval there = add(x, exact_point(step), 4096);
        const Cut cut = nearby_cut(at, there, bits);
        RC_ASSERT(same_ends(cut.x, there));
        RC_ASSERT(holds_truth(cut, bits));
        RC_ASSERT(cut.density.accuracy() >= bits - 8);
        RC_ASSERT(cut.tail.accuracy() >= bits - 18);
        RC_ASSERT(!holds_truth({there, moved(cut.density, 2), cut.tail}, bits));
        RC_ASSERT(!holds_truth({there, cut.density, moved(cut.tail, -2)}, bits));
    }
}

RC_GTEST_PROP(GaussianProperty, a_cut_of_a_ball_holds_all_of_it_and_not_much_more, ()) {
    const Bits bits = pick(60, 300);
    const Interval x = abs(any_point(8)); // far to the left the tail hardly moves
    const Cut at = gaussian_cut(x, bits);
    const Interval radius =
        exact_point(Rational(pick(1, 1024), 1024) * test::power_of_two(-pick(3, bits / 2)));
    const Cut ball = ball_cut(at, radius, bits);
    const auto tail_in = [&](const Cut& cut, const Interval& away) {
        return cut.tail.contains(tail_by_arb(add(x, away, 4096), bits + 1300));
    };
    for (const Rational& part : {Rational(-1), Rational(-3, 8), Rational(0), Rational(1, 2), Rational(1)}) {
        const Interval there = add(x, mul(radius, exact_point(part), 4096), 4096);
        RC_ASSERT(ball.tail.contains(tail_by_arb(there, bits + 1300)));
        RC_ASSERT(ball.density.contains(density_by_arb(there, bits + 1300)));
    }
    // a ball of half the radius, or none, is not enough
    const Interval half = scale_by_power_of_two(radius, -1);
    RC_ASSERT(!(tail_in(ball_cut(at, half, bits), radius) && tail_in(ball_cut(at, half, bits), neg(radius))));
    RC_ASSERT(!tail_in(at, radius) && !tail_in(at, neg(radius)));
}

TEST(Gaussian, what_is_too_far_or_no_point_is_computed_anew) {
    constexpr Bits bits = 100;
    const auto same_cut = [](const Cut& a, const Cut& b) {
        return same_ends(a.x, b.x) && same_ends(a.density, b.density) && same_ends(a.tail, b.tail);
    };
    const Interval one = exact_point(Rational(1));
    const Interval far = exact_point(Rational(3));
    const Interval wide = join_ends(one, exact_point(Rational(9, 8)));
    EXPECT_TRUE(same_cut(nearby_cut(gaussian_cut(one, bits), far, bits), gaussian_cut(far, bits)));
    const Interval beyond = exact_point(Rational(70));
    const Interval next = add(beyond, exact_point(test::power_of_two(-50)), 4096);
    EXPECT_TRUE(same_cut(nearby_cut(gaussian_cut(beyond, bits), next, bits), gaussian_cut(next, bits)));
    EXPECT_TRUE(same_cut(nearby_cut(cut_at_infinity(), one, bits), gaussian_cut(one, bits)));
    EXPECT_TRUE(same_cut(nearby_cut(gaussian_cut(wide, bits), one, bits), gaussian_cut(one, bits)));
}

RC_GTEST_PROP(GaussianProperty, mass_and_centroid_are_integrals, ()) {
    const Bits bits = pick(64, 200);
    const Cell cell = any_cell(-6, 6);
    const Cut a = gaussian_cut(cell.a, bits);
    const Cut b = gaussian_cut(cell.b, bits);
    const Interval zero;
    const Interval mass = moment_by_quadrature(cell.a, cell.b, zero, 0, bits + 100);
    const Interval first = moment_by_quadrature(cell.a, cell.b, zero, 1, bits + 100);
    const Interval centroid = div(first, mass, bits + 100);
    RC_ASSERT(cell_mass(a, b, bits).contains(mass));
    RC_ASSERT(cell_centroid(a, b, bits).contains(centroid));
    RC_ASSERT(!moved(cell_mass(a, b, bits), 2).contains(mass));
    RC_ASSERT(!moved(cell_centroid(a, b, bits), 2).contains(centroid));
    if (less(cell.a, zero) == Truth::no) { // to the right no tail is a difference from 1
        RC_ASSERT(cell_mass(a, b, bits).accuracy() >= bits - 20);
        RC_ASSERT(cell_centroid(a, b, bits).accuracy() >= bits - 32);
    }
}

RC_GTEST_PROP(GaussianProperty, distortion_and_variance_are_integrals, ()) {
    const Bits bits = pick(96, 200);
    const Cell cell = any_cell(-4, 4);
    const Cut a = gaussian_cut(cell.a, bits);
    const Cut b = gaussian_cut(cell.b, bits);
    const Interval q = any_point(5);
    const Interval squares = moment_by_quadrature(cell.a, cell.b, q, 2, bits + 100);
    RC_ASSERT(cell_distortion(a, b, q, bits).contains(squares));
    RC_ASSERT(!cell_distortion(a, b, add(q, exact_point(Rational(1, 64)), 4096), bits).contains(squares));
    const Interval zero;
    const Interval mass = moment_by_quadrature(cell.a, cell.b, zero, 0, bits + 100);
    const Interval mean = div(moment_by_quadrature(cell.a, cell.b, zero, 1, bits + 100), mass, bits + 100);
    const Interval square = div(moment_by_quadrature(cell.a, cell.b, zero, 2, bits + 100), mass, bits + 100);
    const Interval variance = sub(square, sqr(mean, bits + 100), bits + 100);
    RC_ASSERT(cell_variance(a, b, bits).contains(variance));
    RC_ASSERT(!cell_variance(a, b, bits).contains(square)); // the mean matters
}

RC_GTEST_PROP(GaussianProperty, cells_that_reach_to_infinity, ()) {
    const Bits bits = pick(64, 300);
    const Interval x = any_point(12);
    const Cut a = gaussian_cut(x, bits);
    const Cut end = cut_at_infinity();
    const Interval tail = tail_by_arb(x, bits + 1300);
    RC_ASSERT(cell_mass(a, end, bits).contains(tail));
    RC_ASSERT(cell_mass(a, end, bits).accuracy() >= bits - 14);
    const Interval density = density_by_arb(x, bits + 1300);
    RC_ASSERT(cell_centroid(a, end, bits).contains(div(density, tail, bits + 100)));
    // E[(Z - q)^2; Z > a] = (1 + q^2) P(Z > a) + (a - 2 q) phi(a)
    const Interval q = any_point(4);
    const Interval one_and_square = add(Interval(Rational(1), 2), sqr(q, 4096), 4096);
    const Interval lean = sub(x, scale_by_power_of_two(q, 1), 4096);
    const Interval truth = add(mul(one_and_square, tail, 4096), mul(lean, density, 4096), 4096);
    RC_ASSERT(cell_distortion(a, end, q, bits).contains(truth));
    // and it exceeds what lies below any finite end
    const Cut far = gaussian_cut(add(x, exact_point(Rational(1)), 4096), bits + 64);
    RC_ASSERT(less(cell_distortion(gaussian_cut(x, bits + 64), far, q, bits + 64),
                   cell_distortion(gaussian_cut(x, bits + 64), end, q, bits + 64)) == Truth::yes);
}

/// The cell moved by h at both ends.
Interval centroid_moved(const Cell& cell, const Rational& h, Bits bits) {
    const Interval by = exact_point(h);
    return cell_centroid(gaussian_cut(add(cell.a, by, 4096), bits), gaussian_cut(add(cell.b, by, 4096), bits),
                         bits);
}

/// d/ds c(a + s, b + s) = 1 - Var(Z | a < Z < b): the central difference over +-2^-60 is the derivative up to
/// a multiple of 2^-120.
RC_GTEST_PROP(GaussianProperty, a_moving_cell_drags_its_centroid_by_one_minus_its_variance, ()) {
    constexpr Bits bits = 500;
    const Cell cell = any_cell(-4, 4);
    const Rational h = test::power_of_two(-60);
    const Interval rise =
        scale_by_power_of_two(sub(centroid_moved(cell, h, bits), centroid_moved(cell, -h, bits), bits), 59);
    const Interval variance = cell_variance(gaussian_cut(cell.a, bits), gaussian_cut(cell.b, bits), bits);
    const Interval expected = sub(Interval(Rational(1), 2), variance, bits);
    const Interval tolerance = exact_point(test::power_of_two(-100));
    RC_ASSERT(less(abs(sub(rise, expected, bits)), tolerance) == Truth::yes);
    // a wrong law is noticed: 1 - 2 Var
    RC_ASSERT(less(abs(sub(rise, sub(expected, variance, bits), bits)), tolerance) == Truth::no);
    const Interval zero;
    RC_ASSERT(less(zero, variance) == Truth::yes);
    RC_ASSERT(less(variance, Interval(Rational(1), 2)) == Truth::yes); // a cut narrows the law
}

RC_GTEST_PROP(GaussianProperty, the_centroid_rises_in_either_end, ()) {
    constexpr Bits bits = 300;
    const Cell cell = any_cell(-6, 6);
    const Interval h = exact_point(test::power_of_two(-pick(8, 80)));
    const Cut a = gaussian_cut(cell.a, bits);
    const Cut b = gaussian_cut(cell.b, bits);
    const Interval c = cell_centroid(a, b, bits);
    RC_ASSERT(less(c, cell_centroid(gaussian_cut(add(cell.a, h, 4096), bits), b, bits)) == Truth::yes);
    RC_ASSERT(less(c, cell_centroid(a, gaussian_cut(add(cell.b, h, 4096), bits), bits)) == Truth::yes);
    RC_ASSERT(less(c, cell_centroid(a, cut_at_infinity(), bits)) == Truth::yes);
    RC_ASSERT((less(cell.a, c) == Truth::yes && less(c, cell.b) == Truth::yes));
}

} // namespace
