#pragma once

#include "lib/exact/rational.hpp"
#include "sim/probe/family.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// The smallest ball that holds some points. Of rational points it is rational: its centre solves a linear
/// system over at most m + 1 of them (Helly).
struct Ball {
    std::vector<Rational> centre;
    Rational radius_sq;
};

/// Points [count, dim], count >= 1. On a line it is the midrange; else the farthest point joins the support
/// until none is outside, each time by all supports among at most m + 2 points.
[[nodiscard]] Ball enclosing_ball(std::span<const Rational> points, int dim);

/// The least worst loss of one answer for query y when any source of the set may be the one:
/// radius^2 / (scale dim). 0 for the empty set.
[[nodiscard]] Rational set_loss(const Family& family, std::uint64_t set, int y);

} // namespace kvproof
