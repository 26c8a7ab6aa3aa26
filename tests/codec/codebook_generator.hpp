#pragma once

#include "lib/codec/codebook.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <rapidcheck.h>
#include <set>

namespace kvproof::testing_support {

/// The finite binary32 numbers in order, as integers: neighbours differ by 1, and 0 is 0.
inline std::int32_t rank_of(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits < 0 ? std::numeric_limits<std::int32_t>::min() - bits : bits;
}
inline float of_rank(std::int32_t rank) {
    return rank >= 0 ? std::bit_cast<float>(rank) : -std::bit_cast<float>(rank == 0 ? 0 : -rank);
}

/// A random finite binary32 number: any bit pattern, or one of the usual size, or a neighbour of zero or of
/// the largest.
template <class Next>
float hard_float(Next&& next) {
    const auto largest = rank_of(std::numeric_limits<float>::max());
    const auto sign = next() % 2 == 0 ? 1 : -1;
    switch (next() % 4) {
    case 0: return of_rank(sign * static_cast<std::int32_t>(next() % static_cast<std::uint32_t>(largest)));
    case 1: return of_rank(sign * static_cast<std::int32_t>(next() % 20));
    case 2: return of_rank(sign * (largest - static_cast<std::int32_t>(next() % 20)));
    default: return static_cast<float>(sign) * static_cast<float>(next() % 8'000'000) * 0x1p-21F;
    }
}

/// A codebook of these boundaries at its deepest level and those above them; no centroids yet.
template <class Number>
Codebook<Number> nested(int depth, const std::set<Number>& boundaries) {
    Codebook<Number> out;
    out.boundaries.resize(depth + 1);
    out.centroids.resize(depth + 1);
    out.boundaries[depth].assign(boundaries.begin(), boundaries.end());
    for (int t = depth; t > 0; --t)
        for (std::size_t i = 1; i < out.boundaries[t].size(); i += 2)
            out.boundaries[t - 1].push_back(out.boundaries[t][i]);
    return out;
}

/// A random codebook that is valid and otherwise as bad as can be: cells of one unit in the last place, huge
/// and subnormal entries, centroids on the ends of their cells.
template <class Next>
Codebook<float> random_codebook(int depth, Next&& next) {
    std::set<float> distinct;
    while (distinct.size() < (std::size_t{1} << depth) - 1) distinct.insert(hard_float(next) + 0.0F);
    Codebook<float> out = nested(depth, distinct);
    const std::int64_t largest = rank_of(std::numeric_limits<float>::max());
    for (int t = 0; t <= depth; ++t) {
        const auto& boundaries = out.boundaries[t];
        for (std::size_t i = 0; i < (std::size_t{1} << t); ++i) {
            const std::int64_t lower = i == 0 ? -largest : rank_of(boundaries[i - 1]);
            const std::int64_t upper = i == boundaries.size() ? largest : rank_of(boundaries[i]);
            std::int64_t rank =
                lower + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(upper - lower + 1));
            if (next() % 4 == 0) rank = lower;
            if (next() % 4 == 0) rank = upper;
            out.centroids[t].push_back(of_rank(static_cast<std::int32_t>(rank)));
        }
    }
    return out;
}

/// The Gaussian Lloyd tree in double, by bisection of 2 m = c(l, m) + c(m, u), each entry rounded to
/// binary32: a realistic table, and an oracle of about 1e-6 for the certified one.
inline Codebook<float> naive_lloyd_tree(int depth) {
    const auto density = [](double x) {
        return std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    };
    const auto centroid = [&](double a, double b) {
        if (a + b < 0) // tails are exact to the right only
            return -(density(b) - density(a)) /
                   ((std::erfc(-b / std::sqrt(2)) - std::erfc(-a / std::sqrt(2))) / 2);
        return (density(a) - density(b)) / ((std::erfc(a / std::sqrt(2)) - std::erfc(b / std::sqrt(2))) / 2);
    };
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> boundaries;
    Codebook<float> out;
    for (int t = 0;; ++t) {
        out.boundaries.emplace_back(boundaries.begin(), boundaries.end());
        out.centroids.emplace_back();
        std::vector<double> next;
        for (std::size_t i = 0; i <= boundaries.size(); ++i) {
            const double l = i == 0 ? -infinity : boundaries[i - 1];
            const double u = i == boundaries.size() ? infinity : boundaries[i];
            out.centroids[t].push_back(static_cast<float>(centroid(l, u)));
            double below = std::max(l, -9.0);
            double above = std::min(u, 9.0);
            for (int step = 0; step < 80; ++step) {
                const double m = (below + above) / 2;
                (2 * m < centroid(l, m) + centroid(m, u) ? below : above) = m;
            }
            next.push_back((below + above) / 2);
            if (i < boundaries.size()) next.push_back(boundaries[i]);
        }
        if (t == depth) return out;
        boundaries = next;
    }
}

} // namespace kvproof::testing_support
