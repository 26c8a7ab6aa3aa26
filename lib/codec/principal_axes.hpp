#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kvproof {

/// Mean and principal axes of a sample: y = V'(x - mean) has uncorrelated coordinates over the sample, in
/// descending order of variance.
struct PrincipalAxes {
    std::size_t dim = 0;
    std::vector<double> mean;      ///< [dim]
    std::vector<double> axes;      ///< [dim, dim] row-major: row c is axis c, of length 1
    std::vector<double> variances; ///< [dim], population variances of the coordinates, descending

    /// How many axes the sample varies along: those whose variance is more than rounding leaves of none, dim
    /// 2^-52 times the largest. Which axes the others are is rounding, too.
    [[nodiscard]] std::size_t rank() const;
    /// y = V'(x - mean); x and y have dim entries and are not the same.
    void coordinates(std::span<const double> x, std::span<double> y) const;
    /// x = mean + V y.
    void point(std::span<const double> y, std::span<double> x) const;
};

/// Of the rows of a row-major [rows, dim] matrix with at least one row, by the eigenvectors of their
/// covariance. Of the two signs of an axis the one is taken that makes its largest entry positive (of equals,
/// the first). The same bits on every machine of one vector width (lib/codec/eigen.hpp).
[[nodiscard]] PrincipalAxes principal_axes(std::span<const double> rows, std::size_t dim);

} // namespace kvproof
