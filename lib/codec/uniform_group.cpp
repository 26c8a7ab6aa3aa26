#include "lib/codec/uniform_group.hpp"

#include "lib/codec/half.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

double in_half_range(double x) {
    return std::clamp(x, -largest_half, largest_half);
}

} // namespace

double UniformGroup::code(double x, CodeRounding rounding) const {
    if (scale == 0) return 0;
    const double most = static_cast<double>((1 << bits) - 1);
    const double at = std::clamp((in_half_range(x) - offset) / scale, 0.0, most);
    return rounding == CodeRounding::half_even ? round_half_even(at) : std::floor(at + 0.5);
}

UniformGroup fit_uniform_group(std::span<const double> x, int bits) {
    const auto [least, largest] = std::ranges::minmax(x);
    const double low = in_half_range(least);
    const double range = in_half_range(largest) - low;
    return {nearest_half(range / static_cast<double>((1 << bits) - 1)).value, nearest_half(low).value, bits};
}

std::size_t quantise_group(std::span<double> x, int bits, CodeRounding rounding) {
    const UniformGroup group = fit_uniform_group(x, bits);
    std::size_t saturated = 0;
    for (double& entry : x) {
        saturated += nearest_half(entry).saturated ? 1 : 0;
        entry = group.decode(group.code(entry, rounding));
    }
    return saturated;
}

} // namespace kvproof
