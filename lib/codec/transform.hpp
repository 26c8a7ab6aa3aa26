#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

/// A fixed orthogonal change of coordinates, applied before scalar quantisation (ReadKV 3.1): the identity,
/// or U = H diag(s) / sqrt(d), signs first and then Sylvester's Hadamard matrix H[i][j] = (-1)^popcount(i &
/// j).
///
/// Every operation of the fast transform has its place in a fixed order, and the only inexact factor, the
/// double nearest to 1/sqrt(d), comes once, last: the same bits on every machine.
class Transform {
public:
    [[nodiscard]] static Transform identity(std::size_t d);

    /// H / sqrt(d) without signs. Throws Error(bad_option) unless d is a power of two.
    [[nodiscard]] static Transform hadamard(std::size_t d);

    /// H diag(s) / sqrt(d) with signs from the seed; stream 0 is U_K, for keys and queries, stream 1 is U_V.
    /// Sign i is minus where bit i mod 32 of word i / 32 mod 4 of the random block i / 128 is set, in the
    /// place (seed, trial 0, random_experiment::transform_signs, stream). Throws as above.
    [[nodiscard]] static Transform hadamard(std::size_t d, std::uint64_t seed, std::uint16_t stream);

    /// d, the length of a vector.
    [[nodiscard]] std::size_t dimension() const { return dimension_; }
    [[nodiscard]] bool is_identity() const { return identity_; }

    /// s, d entries of +1 and -1; all +1 for the identity.
    [[nodiscard]] const std::vector<double>& signs() const { return signs_; }

    /// x becomes U x, in d log2 d additions. Throws Error(internal) unless x has d entries.
    void apply(std::span<double> x) const;

    /// x becomes U^-1 x = U' x = diag(s) H x / sqrt(d). Throws as above.
    void apply_inverse(std::span<double> x) const;

    /// Each row of a row-major [rows, d] matrix by itself. Throws Error(internal) unless whole rows are
    /// given.
    void apply_rows(std::span<double> rows) const;
    void apply_inverse_rows(std::span<double> rows) const;

private:
    Transform(std::size_t d, bool identity, std::vector<double> signs);
    void require_whole(std::size_t length, bool one) const;
    void forward(double* x) const;
    void backward(double* x) const;

    std::size_t dimension_;
    bool identity_;
    std::vector<double> signs_;
    double scale_; // 1/sqrt(d)
};

} // namespace kvproof
