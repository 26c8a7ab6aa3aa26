#include "sim/montecarlo/scalar_codes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kvproof {
namespace {

constexpr std::size_t states = 8;

/// State: bit 0 is z0, the coset's last bit; bit 1 is what z0 changes by next; bit 2 is the z0 before. From
/// z0(t) = z0(t-1) + z0(t-3) + u(t-2), u the path's bit and 2 u + z0 the coset.
constexpr std::size_t next_state(std::size_t state, std::size_t u) {
    const std::size_t z = state & 1U;
    const std::size_t change = state >> 1U & 1U;
    const std::size_t before = state >> 2U;
    return (z ^ change) | (before ^ u) << 1U | z << 2U;
}

/// The level nearest to z among those whose number is `coset` mod 4, of `count`.
double level_in_coset(double z, std::size_t coset, std::size_t count) {
    const double step = 2 / static_cast<double>(count);
    const double first = -1 + (static_cast<double>(coset) + 0.5) * step;
    const std::size_t levels = count / 4;
    const auto most = static_cast<double>(levels - 1);
    const double k = std::clamp(std::floor((z - first) / (4 * step) + 0.5), 0.0, most);
    return first + 4 * step * k;
}

} // namespace

double uniform_level(double z, int bits) {
    const double count = std::ldexp(1.0, bits);
    const double k = std::clamp(std::floor((z + 1) / 2 * count), 0.0, count - 1);
    return -1 + (2 * k + 1) / count;
}

double trellis_limit(int bits) {
    return 9 * std::ldexp(1.0, -2 * (bits + 1));
}

void trellis_code(std::span<const double> in, int bits, std::span<double> out) {
    struct Step {
        std::array<std::uint8_t, states> from;
        std::array<double, states> level;
    };
    const std::size_t count = std::size_t{1} << static_cast<unsigned>(bits + 1);
    std::vector<Step> steps(in.size());
    std::array<double, states> cost{};
    cost.fill(std::numeric_limits<double>::infinity());
    cost[0] = 0;
    for (std::size_t t = 0; t < in.size(); ++t) {
        std::array<double, 4> levels{};
        for (std::size_t coset = 0; coset < 4; ++coset) levels[coset] = level_in_coset(in[t], coset, count);
        std::array<double, states> reached{};
        reached.fill(std::numeric_limits<double>::infinity());
        for (std::size_t state = 0; state < states; ++state)
            for (std::size_t u = 0; u < 2; ++u) {
                const double level = levels[2 * u + (state & 1U)];
                const double total = cost[state] + (in[t] - level) * (in[t] - level);
                const std::size_t to = next_state(state, u);
                if (!(total < reached[to])) continue;
                reached[to] = total;
                steps[t].from[to] = static_cast<std::uint8_t>(state);
                steps[t].level[to] = level;
            }
        cost = reached;
    }
    auto state = static_cast<std::size_t>(std::ranges::min_element(cost) - cost.begin());
    for (std::size_t t = in.size(); t-- > 0;) {
        out[t] = steps[t].level[state];
        state = steps[t].from[state];
    }
}

} // namespace kvproof
