#pragma once

#include <cstddef>
#include <vector>

namespace kvproof {

/// A scalar quantiser that is not nested: ascending levels in double, boundaries half-way between
/// neighbours. A number on a boundary goes to the upper level.
class LevelQuantiser {
public:
    /// At least one level, not descending.
    explicit LevelQuantiser(std::vector<double> levels);

    [[nodiscard]] const std::vector<double>& levels() const { return levels_; }
    [[nodiscard]] std::size_t code(double z) const;
    [[nodiscard]] double nearest(double z) const { return levels_[code(z)]; }

private:
    std::vector<double> levels_;
    std::vector<double> boundaries_;
};

/// The 2^bits levels of the optimal quantiser of N(0, 1), nearest doubles; 1 <= bits <= 10.
[[nodiscard]] LevelQuantiser gaussian_levels(int bits);

/// The 2^bits levels for sqrt(d) times a coordinate of a uniformly random unit vector of R^d, whose law has
/// density proportional to (1 - z^2/d)^((d-3)/2) (a shifted Beta; TurboQuant's exact law). Lloyd's iteration
/// in double, symmetric about 0, from the levels of N(0, 1) drawn into its support, until it stands still. 2
/// <= d, 1 <= bits <= 8. Throws Error(bad_option).
[[nodiscard]] LevelQuantiser unit_vector_levels(int bits, int dimension);

/// E(z - Q(z))^2 of those levels under that law, where E z^2 = 1.
[[nodiscard]] double unit_vector_distortion(const LevelQuantiser& quantiser, int dimension);

} // namespace kvproof
