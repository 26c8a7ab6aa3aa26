#include "lib/random/random_stream.hpp"

#include "lib/portable/log.hpp"
#include "lib/random/distributions.hpp"

#include <cmath>

namespace kvproof {

std::uint32_t RandomStream::word() {
    if (drawn_ % 4 == 0) block_ = random_block(place_, drawn_ / 4);
    return block_[drawn_++ % 4];
}

int RandomStream::below(int n) {
    return static_cast<int>((std::uint64_t{word()} * static_cast<std::uint64_t>(n)) >> 32U);
}

double RandomStream::uniform() {
    return (static_cast<double>(word()) + 0.5) * 0x1p-32;
}

double RandomStream::symmetric() {
    const std::uint32_t high = word();
    return symmetric53(high, word());
}

double RandomStream::normal() {
    for (;;) { // a point in the unit disc; the other coordinate is not kept
        const double x = 2 * uniform() - 1;
        const double y = 2 * uniform() - 1;
        const double s = x * x + y * y;
        if (s < 1) return x * std::sqrt(-2 * portable::log(s) / s);
    }
}

} // namespace kvproof
