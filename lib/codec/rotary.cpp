#include "lib/codec/rotary.hpp"

#include "lib/error.hpp"

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
    for (int p = 0; p < dim / 2; ++p) speeds_.push_back(std::pow(theta, -2.0 * p / dim));
}

void Rotary::turn(std::span<double> x, int position) const {
    const std::size_t half = speeds_.size();
    for (std::size_t p = 0; p < half; ++p) {
        const double angle = position * speeds_[p];
        double& u = x[pairs_ == RotaryPairs::half ? p : 2 * p];
        double& v = x[pairs_ == RotaryPairs::half ? p + half : 2 * p + 1];
        const double turned = u * std::cos(angle) - v * std::sin(angle);
        v = u * std::sin(angle) + v * std::cos(angle);
        u = turned;
    }
}

} // namespace kvproof
