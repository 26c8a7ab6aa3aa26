#pragma once
// What all forms of ChooseDepths refuse, in the same words.

#include <cstdint>
#include <span>

namespace kvproof {

/// Throws Error(internal) unless there is a depth for each weight, at most 2^32 - 1 of them, and at most 255
/// levels; Error(bad_weight) on a gain that is NaN or infinite.
template <class Number>
void require_gains(std::span<const Number> weights, std::span<const Number> gains,
                   std::span<const std::uint8_t> depths);

/// Throws Error(bad_weight), naming the first bad entry, unless all weights are finite and not negative.
template <class Number>
void require_weights(std::span<const Number> weights);

/// Throws Error(bad_weight) where the largest weight times the largest gain overflows.
template <class Number>
void require_finite_products(Number largest_weight, std::span<const Number> gains);

} // namespace kvproof
