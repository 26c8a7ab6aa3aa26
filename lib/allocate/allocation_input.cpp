#include "lib/allocate/allocation_input.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace kvproof {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& found, const std::string& expected) {
    throw Error(ErrorCode::bad_weight, where + ": found " + found + ", expected " + expected);
}

std::string kind_of(double x) {
    if (std::isnan(x)) return "NaN";
    if (std::isinf(x)) return x > 0 ? "infinity" : "-infinity";
    return "a negative number";
}

} // namespace

template <class Number>
void require_gains(std::span<const Number> weights, std::span<const Number> gains,
                   std::span<const std::uint8_t> depths) {
    if (depths.size() != weights.size() || weights.size() > std::numeric_limits<std::uint32_t>::max())
        throw Error(ErrorCode::internal, "allocation: found " + std::to_string(depths.size()) +
                                             " depths for " + std::to_string(weights.size()) + " weights");
    if (gains.size() > 255)
        throw Error(ErrorCode::internal,
                    "allocation: found " + std::to_string(gains.size()) + " levels, expected at most 255");
    for (std::size_t t = 0; t < gains.size(); ++t)
        if (!std::isfinite(gains[t]))
            refuse("gains[" + std::to_string(t) + "]", kind_of(gains[t]), "a finite number");
}

template <class Number>
void require_weights(std::span<const Number> weights) {
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (!(weights[i] >= 0) || std::isinf(weights[i]))
            refuse("weights[" + std::to_string(i) + "]", kind_of(weights[i]), "a finite number not below 0");
}

template <class Number>
void require_finite_products(Number largest_weight, std::span<const Number> gains) {
    if (gains.empty()) return;
    const Number largest = std::ranges::max(gains);
    if (std::isinf(Number(largest_weight * largest)))
        refuse("weights", "a weight whose gain overflows", "finite gains");
}

template void require_gains(std::span<const float>, std::span<const float>, std::span<const std::uint8_t>);
template void require_gains(std::span<const double>, std::span<const double>, std::span<const std::uint8_t>);
template void require_weights(std::span<const float>);
template void require_weights(std::span<const double>);
template void require_finite_products(float, std::span<const float>);
template void require_finite_products(double, std::span<const double>);

} // namespace kvproof
