#include "lib/codec/token_quantiser.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {

double TokenQuantiser::step() const {
    return std::ldexp(reach, 1 - bits);
}

double TokenQuantiser::code(double h) const {
    const double delta = step();
    if (delta == 0) return 0;
    if (bits == 0) return -0.5; // where both clamps meet
    const double half = std::ldexp(1.0, bits - 1);
    const double at = form == TokenCode::printed ? h / delta + 0.5 : h / delta;
    return std::clamp(std::floor(at), -half, half - 1);
}

double TokenQuantiser::decode(double code) const {
    if (step() == 0) return 0;
    return (form == TokenCode::printed ? code : code + 0.5) * step();
}

double token_scale(std::span<const double> h, std::span<const double> scales) {
    double alpha = 0;
    for (std::size_t c = 0; c < h.size(); ++c)
        if (scales[c] > 0) alpha = std::max(alpha, std::fabs(h[c]) / scales[c]);
    return alpha;
}

Half stored_token_scale(double alpha, TokenCode form) {
    return form == TokenCode::printed ? nearest_half(alpha) : half_not_below(alpha);
}

} // namespace kvproof
