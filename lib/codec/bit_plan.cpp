#include "lib/codec/bit_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kvproof {
namespace {

struct Option {
    std::size_t size;
    int bits;
    std::uint64_t cost; ///< in units
};

/// All costs are multiples of it: the table needs no other places.
std::uint64_t common_unit(const GroupMenu& menu) {
    std::uint64_t unit = 0;
    for (const std::size_t size : menu.sizes)
        for (const int bits : menu.bits) unit = std::gcd(unit, menu.cost(size, bits));
    return std::max<std::uint64_t>(unit, 1);
}

std::vector<Option> options_of(const GroupMenu& menu, std::uint64_t unit) {
    std::vector<Option> out;
    for (const std::size_t size : menu.sizes)
        for (const int bits : menu.bits) out.push_back({size, bits, menu.cost(size, bits) / unit});
    return out;
}

/// Where a state of the table was reached from.
constexpr std::uint8_t nowhere = 255;

} // namespace

BitPlan best_bit_plan(std::size_t n, std::uint64_t budget, const GroupMenu& menu,
                      const GroupDistortion& distortion) {
    const std::uint64_t unit = common_unit(menu);
    const std::vector<Option> options = options_of(menu, unit);
    // no plan costs more than n groups of one at the most bits
    const std::uint64_t most = std::min(budget, n * menu.cost(1, menu.bits.back()));
    const std::size_t places = static_cast<std::size_t>(most / unit) + 1;
    constexpr double unreached = std::numeric_limits<double>::infinity();
    // best[i * places + u]: least distortion of coordinates 0 .. i-1 for exactly u units
    std::vector<double> best((n + 1) * places, unreached);
    std::vector<std::uint8_t> from((n + 1) * places, nowhere);
    best[0] = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t o = 0; o < options.size(); ++o) {
            const Option& option = options[o];
            if (option.size > n - i || option.cost >= places) continue;
            const double added = distortion({i, option.size, option.bits});
            const double* const here = best.data() + i * places;
            double* const there = best.data() + (i + option.size) * places + option.cost;
            std::uint8_t* const mark = from.data() + (i + option.size) * places + option.cost;
            for (std::size_t u = 0; u + option.cost < places; ++u)
                if (here[u] + added < there[u]) {
                    there[u] = here[u] + added;
                    mark[u] = static_cast<std::uint8_t>(o);
                }
        }
    const auto last = best.begin() + static_cast<std::ptrdiff_t>(n * places);
    // the first of the least: the cheapest
    auto units = static_cast<std::size_t>(std::min_element(last, best.end()) - last);
    BitPlan out{{}, last[static_cast<std::ptrdiff_t>(units)], units * unit};
    for (std::size_t i = n; i > 0;) {
        const Option& option = options[from[i * places + units]];
        i -= option.size;
        units -= static_cast<std::size_t>(option.cost);
        out.groups.push_back({i, option.size, option.bits});
    }
    std::ranges::reverse(out.groups);
    return out;
}

} // namespace kvproof
