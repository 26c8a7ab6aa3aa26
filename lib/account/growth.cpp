#include "lib/account/growth.hpp"

#include <algorithm>

namespace kvproof {
namespace {

Integer triangle(const Integer& n) {
    return n * (n + 1) / 2;
}

/// The lattice points under the line y = (a x + b) / m with 1 <= y and 0 <= x < n: the sum of the floors over
/// x. What is whole is taken off; what is left is counted by columns of the mirrored triangle, with a and m
/// exchanged.
Integer points_under_line(Integer n, Integer a, Integer b, Integer m) {
    Integer sum = 0;
    while (n > 0) {
        sum += (a / m) * (n * (n - 1) / 2) + (b / m) * n;
        a %= m;
        b %= m;
        const Integer top = a * n + b; // the line at x = n, times m
        if (top < m) break;
        n = top / m;
        b = top % m;
        std::swap(a, m);
    }
    return sum;
}

} // namespace

Growth Growth::tokens(const Rational& rate) {
    return {Growth::Kind::tokens, rate, 1, 1};
}

Growth Growth::pairs(const Rational& rate) {
    return {Growth::Kind::pairs, rate, 1, 1};
}

Growth Growth::window(long limit, long step) {
    return {Growth::Kind::window, 1, limit, step};
}

Growth Growth::latest(long limit) {
    return window(limit, 1);
}

Growth Growth::open_block(long size) {
    return window(size, size);
}

Integer value_at(const Growth& growth, long t) {
    switch (growth.kind) {
    case Growth::Kind::constant: return 1;
    case Growth::Kind::tokens: return floor(growth.rate * t);
    case Growth::Kind::pairs: return floor(growth.rate * (t / 2 + t % 2));
    case Growth::Kind::window:
        return t <= growth.limit ? t : growth.limit - growth.step + 1 + (t - growth.limit - 1) % growth.step;
    }
    return 0;
}

Integer sum_to(const Growth& growth, long t) {
    const long limit = growth.limit;
    switch (growth.kind) {
    case Growth::Kind::constant: return t;
    case Growth::Kind::tokens: return sum_of_floors(growth.rate, t);
    case Growth::Kind::pairs: {
        // Lengths 2j-1 and 2j have j pairs each; an odd last length stands alone.
        const long whole = t / 2;
        const Integer twice = 2 * sum_of_floors(growth.rate, whole);
        return t % 2 == 0 ? twice : Integer(twice + floor(growth.rate * (whole + 1)));
    }
    case Growth::Kind::window: {
        // Once it was full it holds limit - step + 1 .. limit, over and over.
        const long calls = std::max(t - limit, 0L);
        const long rounds = calls / growth.step;
        return triangle(std::min(t, limit)) + Integer(limit - growth.step) * calls +
               rounds * triangle(growth.step) + triangle(calls % growth.step);
    }
    }
    return 0;
}

Integer sum_of_floors(const Rational& rate, long n) {
    return points_under_line(Integer(n) + 1, numerator(rate), 0, denominator(rate));
}

} // namespace kvproof
