#pragma once

#include "lib/portable/log.hpp"
#include "lib/portable/sincos.hpp"

#include <cmath>
#include <cstdint>

namespace kvproof {

// Random numbers from the words of a block (random_block), each a fixed function of them by IEEE operations
// and lib/portable: the same bits on every machine. Loops over these vectorise.

/// n 2^-53 with n uniform on 0, ..., 2^53 - 1: the upper 27 bits of the first word, the upper 26 of the
/// second.
[[nodiscard]] KVPROOF_DEVICE double uniform53(std::uint32_t high, std::uint32_t low) {
    const auto a = static_cast<double>(static_cast<std::int32_t>(high >> 5U));
    const auto b = static_cast<double>(static_cast<std::int32_t>(low >> 6U));
    return (a * 0x1p26 + b) * 0x1p-53;
}

/// n 2^-24 with n uniform on 0, ..., 2^24 - 1: the upper 24 bits of the word.
[[nodiscard]] KVPROOF_DEVICE double uniform24(std::uint32_t word) {
    return static_cast<double>(static_cast<std::int32_t>(word >> 8U)) * 0x1p-24;
}

/// An odd multiple of 2^-53 in (-1, 1), uniform on them, and so symmetric about 0.
[[nodiscard]] KVPROOF_DEVICE double symmetric53(std::uint32_t high, std::uint32_t low) {
    return (2 * uniform53(high, low) - 1) + 0x1p-53;
}

/// -1 or 1 with equal odds, by the last bit.
[[nodiscard]] KVPROOF_DEVICE double sign_of(std::uint32_t bit) {
    return 1 - 2 * static_cast<double>(static_cast<std::int32_t>(bit & 1U));
}

/// Laplace's law of scale 1 (density exp(-|x|)/2): a sign and an exponential number from 53 bits, at most
/// 36.8.
[[nodiscard]] KVPROOF_DEVICE double laplace(std::uint32_t high, std::uint32_t low) {
    const double exponential = -portable::log(uniform53(high, low) + 0x1p-53);
    return sign_of(low) * exponential; // the last bit of `low` is none of the 53
}

/// Two independent standard normal numbers from one block, by Box and Muller: sqrt(-2 ln u) (cos, sin)(2 pi
/// v), u in {2^-53, ..., 1} from words 0 and 1, v from words 2 and 3. Rounding moves each by less than 2^-48
/// of its size plus 2^-48; none is beyond 8.58 (a normal number is with odds of 1e-17).
KVPROOF_DEVICE void normal_pair(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3,
                                double& first, double& second) {
    const double radius = std::sqrt(-2 * portable::log(uniform53(w0, w1) + 0x1p-53));
    double cosine = 0;
    double sine = 0;
    portable::cos_sin_turn(uniform53(w2, w3), cosine, sine);
    first = radius * cosine;
    second = radius * sine;
}

} // namespace kvproof
