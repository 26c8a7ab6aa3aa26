#include "lib/codec/rotary.hpp"

#include "lib/error.hpp"
#include "lib/portable/log.hpp"
#include "lib/portable/sincos.hpp"

#include <cmath>
#include <string>

namespace kvproof {

Rotary::Rotary(RotaryPairs pairs, double theta, int dim) : pairs_(pairs) {
    if (dim < 2 || dim % 2 != 0)
        throw Error(ErrorCode::bad_option, "rotary encoding: found a head dimension of " +
                                               std::to_string(dim) + ", expected an even number");
    if (!(theta > 0) || !std::isfinite(theta))
        throw Error(ErrorCode::bad_option, "rotary encoding: found theta = " + std::to_string(theta) +
                                               ", expected a positive number");
    constexpr double turns_of_one = 0x1.45f306dc9c883p-3; // 1 / (2 pi)
    for (int p = 0; p < dim / 2; ++p)
        speeds_.push_back(portable::exp(-2.0 * p / dim * portable::log(theta)) * turns_of_one);
}

void Rotary::turn(std::span<double> x, int position) const {
    const std::size_t half = speeds_.size();
    for (std::size_t p = 0; p < half; ++p) {
        const double turns = position * speeds_[p];
        double cosine = 1;
        double sine = 0;
        portable::cos_sin_turn(turns - std::floor(turns), cosine, sine);
        double& u = x[pairs_ == RotaryPairs::half ? p : 2 * p];
        double& v = x[pairs_ == RotaryPairs::half ? p + half : 2 * p + 1];
        const double turned = u * cosine - v * sine;
        v = u * sine + v * cosine;
        u = turned;
    }
}

} // namespace kvproof
