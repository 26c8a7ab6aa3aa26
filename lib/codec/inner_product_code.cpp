#include "lib/codec/inner_product_code.hpp"

#include "lib/codec/half.hpp"
#include "lib/random/philox.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace kvproof {
namespace {

/// A number in (0, 1) from 64 random bits.
double uniform(std::uint32_t high, std::uint32_t low) {
    const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32 | low) >> 12;
    return std::ldexp(static_cast<double>(bits) + 0.5, -52);
}

std::vector<double> normal_numbers(std::size_t count, std::uint64_t seed) {
    const RandomPlace place{.seed = seed, .experiment = random_experiment::key_sketch};
    std::vector<double> out;
    for (std::uint32_t sample = 0; out.size() < count; ++sample) {
        const auto block = random_block(place, sample);
        const double radius = std::sqrt(-2 * std::log(uniform(block[0], block[1])));
        const double angle = 2 * std::numbers::pi * uniform(block[2], block[3]);
        out.push_back(radius * std::cos(angle));
        out.push_back(radius * std::sin(angle));
    }
    out.resize(count);
    return out;
}

} // namespace

InnerProductCode::InnerProductCode(UnitVectorCode direction, std::uint64_t seed)
    : direction_(std::move(direction)),
      sketch_(normal_numbers(direction_.transform.dimension() * direction_.transform.dimension(), seed)) {}

bool InnerProductCode::quantise(std::span<double> x) const {
    const double norm = euclidean_norm(x);
    if (norm == 0) return false;
    const Half stored = nearest_half(norm);
    for (double& entry : x) entry /= norm;
    direction_.transform.apply(x);
    std::vector<double> rest(x.begin(), x.end());
    direction_.quantise_direction(x);
    const std::size_t d = x.size();
    for (std::size_t c = 0; c < d; ++c) rest[c] -= x[c];
    const double weight =
        nearest_half(euclidean_norm(rest)).value * std::sqrt(std::numbers::pi / 2) / static_cast<double>(d);
    for (std::size_t i = 0; i < d; ++i) {
        const double* const row = sketch_.data() + i * d;
        double product = 0;
        for (std::size_t c = 0; c < d; ++c) product += row[c] * rest[c];
        const double signed_weight = product < 0 ? -weight : weight;
        for (std::size_t c = 0; c < d; ++c) x[c] += signed_weight * row[c];
    }
    direction_.transform.apply_inverse(x);
    for (double& entry : x) entry *= stored.value;
    return stored.saturated;
}

} // namespace kvproof
