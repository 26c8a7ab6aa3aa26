#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kvproof {

/// The whitened SVD of a projection W [m, n] under inputs X [T, m] (AATC V-A, PALU): with Sigma_X = X'X/T =
/// LL', L'W = U S P' and W = AB, A = L^-T U sqrt(S), B = sqrt(S) P'. A cached row k = xW becomes the latent
/// h = xA, and k = hB.
///
/// No root of Sigma_X is inverted. L' is the triangle of a QR decomposition of X/sqrt(T), which has one
/// whatever the rank of X; and since L'WP = US, A is W P S^(-1/2), so that h = k P S^(-1/2): a change of
/// coordinates of the cached row itself. For inputs that X does not span it still decodes exactly, which
/// L^-T U sqrt(S) would not.
///
/// Where the calibration does not reach a direction of the cache (W or X of low rank), S has zeros: singular
/// values of at most max(T, m, n) 2^-52 times the largest are taken as 0, and such channels carry nothing.
struct WhitenedSvd {
    std::size_t width = 0;           ///< n, columns of W
    std::size_t rank = 0;            ///< channels that carry something: the first ones
    std::vector<double> singular;    ///< [n], the diagonal of S, descending; 0 from `rank` on
    std::vector<double> directions;  ///< [n, n] row-major: row c is column c of P; rows of 0 from `rank` on
    std::vector<double> to_latent;   ///< [n, n] row-major: row c is column c of P S^(-1/2)
    std::vector<double> from_latent; ///< [n, n] row-major: B

    /// h = k P S^(-1/2); both have n entries.
    void encode(std::span<const double> k, std::span<double> h) const;
    /// k = h B.
    void decode(std::span<const double> h, std::span<double> k) const;
};

/// L' of inputs X: what every projection of them shares.
struct InputRoot {
    std::size_t tokens = 0;      ///< T
    std::size_t inputs = 0;      ///< m
    std::vector<double> columns; ///< of the triangle [min(T, m), m], one after the other
};

/// Of a row-major X [T, m], T and m at least 1.
[[nodiscard]] InputRoot input_root(std::span<const double> x, std::size_t m);

/// The decomposition of a row-major W [m, n] under the inputs of a root. Of the two signs of a singular
/// vector the one is taken that makes the largest entry of P's column positive (of equals, the first). The
/// same bits on every machine of one vector width (lib/codec/eigen.hpp).
[[nodiscard]] WhitenedSvd whitened_svd(const InputRoot& root, std::span<const double> w, std::size_t n);

} // namespace kvproof
