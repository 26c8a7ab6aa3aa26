#include "sim/probe/set_losses.hpp"

#include "lib/error.hpp"
#include "sim/probe/enclosing_ball.hpp"
#include "sim/probe/ranks.hpp"

#include <algorithm>
#include <bit>

namespace kvproof {
namespace {

/// set_loss of every set. On a line the loss follows from the ends of the set, which grow by one source at a
/// time.
std::vector<Rational> losses_of_query(const Family& family, int y) {
    const std::size_t count = std::size_t{1} << static_cast<unsigned>(family.sources);
    std::vector<Rational> out(count);
    if (family.dim > 1) {
        for (std::size_t set = 1; set < count; ++set) out[set] = set_loss(family, set, y);
        return out;
    }
    std::vector<int> least(count);
    std::vector<int> most(count);
    for (std::size_t set = 1; set < count; ++set) {
        const auto last = static_cast<int>(std::countr_zero(set));
        const std::size_t rest = set & (set - 1);
        const auto& target = family.target(last, y)[0];
        least[set] = rest == 0 || target < family.target(least[rest], y)[0] ? last : least[rest];
        most[set] = rest == 0 || target > family.target(most[rest], y)[0] ? last : most[rest];
        const Rational half = (family.target(most[set], y)[0] - family.target(least[set], y)[0]) / 2;
        out[set] = half * half / Rational(family.scale);
    }
    return out;
}

} // namespace

SetLosses set_losses(const Family& family) {
    if (family.sources > SetLosses::most_sources)
        throw Error(ErrorCode::bad_option,
                    "family \"" + family.name + "\": found " + std::to_string(family.sources) +
                        " sources, expected at most " + std::to_string(SetLosses::most_sources) +
                        " to list all sets of them");
    std::vector<std::vector<Rational>> tables;
    SetLosses out;
    for (int y = 0; y < family.queries; ++y) {
        std::vector<Rational> table = losses_of_query(family, y);
        const auto known = std::ranges::find(tables, table);
        out.table_of.push_back(static_cast<int>(known - tables.begin()));
        if (known == tables.end()) tables.push_back(std::move(table));
    }
    Ranked all = ranked(tables);
    out.values = std::move(all.values);
    out.ranks = std::move(all.ranks);
    return out;
}

std::vector<std::uint32_t> SetLosses::joint() const {
    std::vector<std::uint32_t> out = ranks.front();
    for (const auto& table : ranks)
        for (std::size_t set = 0; set < out.size(); ++set) out[set] = std::max(out[set], table[set]);
    return out;
}

} // namespace kvproof
