#include "lib/codec/transform.hpp"

#include "lib/error.hpp"
#include "lib/random/philox.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

namespace kvproof {
namespace {

/// x becomes H x, by log2 d rounds of sums and differences.
void walsh_hadamard(double* x, std::size_t d) {
    for (std::size_t half = 1; half < d; half *= 2)
        for (std::size_t block = 0; block < d; block += 2 * half) {
            double* const upper = x + block;
            double* const lower = upper + half;
            for (std::size_t i = 0; i < half; ++i) {
                const double sum = upper[i] + lower[i];
                lower[i] = upper[i] - lower[i];
                upper[i] = sum;
            }
        }
}

void require_power_of_two(std::size_t d) {
    if (!std::has_single_bit(d))
        throw Error(ErrorCode::bad_option,
                    "Hadamard transform: found a head dimension of " + std::to_string(d) +
                        ", expected a power of two; use --transform identity for other dimensions");
}

std::vector<double> random_signs(std::size_t d, std::uint64_t seed, std::uint16_t stream) {
    const RandomPlace place{.seed = seed, .experiment = random_experiment::transform_signs, .stream = stream};
    std::vector<double> signs(d);
    std::array<std::uint32_t, 4> block{};
    for (std::size_t i = 0; i < d; ++i) {
        if (i % 128 == 0) block = random_block(place, static_cast<std::uint32_t>(i / 128));
        signs[i] = ((block[i / 32 % 4] >> (i % 32)) & 1) != 0 ? -1.0 : 1.0;
    }
    return signs;
}

} // namespace

Transform::Transform(std::size_t d, bool identity, std::vector<double> signs)
    : dimension_(d), identity_(identity), signs_(std::move(signs)),
      scale_(1.0 / std::sqrt(static_cast<double>(d))) {}

Transform Transform::identity(std::size_t d) {
    if (d == 0) throw Error(ErrorCode::bad_option, "transform: found a dimension of 0, expected at least 1");
    return Transform(d, true, std::vector<double>(d, 1.0));
}

Transform Transform::hadamard(std::size_t d) {
    require_power_of_two(d);
    return Transform(d, false, std::vector<double>(d, 1.0));
}

Transform Transform::hadamard(std::size_t d, std::uint64_t seed, std::uint16_t stream) {
    require_power_of_two(d);
    return Transform(d, false, random_signs(d, seed, stream));
}

void Transform::require_whole(std::size_t length, bool one) const {
    if (one ? length == dimension_ : length % dimension_ == 0) return;
    throw Error(ErrorCode::internal, "transform: found " + std::to_string(length) + " entries, expected " +
                                         (one ? "" : "a multiple of ") + std::to_string(dimension_));
}

void Transform::forward(double* x) const {
    if (identity_) return;
    for (std::size_t i = 0; i < dimension_; ++i) x[i] *= signs_[i];
    walsh_hadamard(x, dimension_);
    for (std::size_t i = 0; i < dimension_; ++i) x[i] *= scale_;
}

void Transform::backward(double* x) const {
    if (identity_) return;
    walsh_hadamard(x, dimension_);
    for (std::size_t i = 0; i < dimension_; ++i) x[i] *= scale_ * signs_[i]; // the factor is exact
}

void Transform::apply(std::span<double> x) const {
    require_whole(x.size(), true);
    forward(x.data());
}

void Transform::apply_inverse(std::span<double> x) const {
    require_whole(x.size(), true);
    backward(x.data());
}

void Transform::apply_rows(std::span<double> rows) const {
    require_whole(rows.size(), false);
    for (std::size_t at = 0; at < rows.size(); at += dimension_) forward(rows.data() + at);
}

void Transform::apply_inverse_rows(std::span<double> rows) const {
    require_whole(rows.size(), false);
    for (std::size_t at = 0; at < rows.size(); at += dimension_) backward(rows.data() + at);
}

} // namespace kvproof
