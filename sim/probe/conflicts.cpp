#include "sim/probe/conflicts.hpp"

#include "lib/error.hpp"
#include "sim/probe/enclosing_ball.hpp"
#include "sim/probe/ranks.hpp"

#include <algorithm>
#include <bit>

namespace kvproof {
namespace {

/// Appends all sets of `size` more members from `from` on, in order of the ascending members.
void append_sets(std::uint64_t chosen, int from, int size, int sources, std::vector<std::uint64_t>& out) {
    if (size == 0) {
        out.push_back(chosen);
        return;
    }
    for (int x = from; x + size <= sources; ++x)
        append_sets(chosen | std::uint64_t{1} << static_cast<unsigned>(x), x + 1, size - 1, sources, out);
}

double count_sets(const Family& family) {
    double total = 0;
    double choices = family.sources;
    for (int size = 2; size <= std::min(family.dim + 1, family.sources); ++size) {
        choices *= static_cast<double>(family.sources - size + 1) / size;
        total += choices;
    }
    return total * family.queries;
}

/// Those of `sets`, in order of size, that contain no earlier one.
std::vector<std::uint64_t> minimal(const std::vector<std::uint64_t>& sets) {
    std::vector<std::uint64_t> out;
    std::size_t smaller = 0; // how many of `out` have fewer members
    int size = 0;
    for (const std::uint64_t set : sets) {
        if (std::popcount(set) != size) {
            size = std::popcount(set);
            smaller = out.size();
        }
        const auto end = out.begin() + static_cast<std::ptrdiff_t>(smaller);
        if (std::none_of(out.begin(), end, [set](std::uint64_t part) { return (part & ~set) == 0; }))
            out.push_back(set);
    }
    return out;
}

std::uint32_t rank_of(const SmallSets& sets, const Rational& value) {
    if (value <= 0) throw Error(ErrorCode::internal, "conflicts at a loss that is not positive");
    return static_cast<std::uint32_t>(std::ranges::lower_bound(sets.values, value) - sets.values.begin());
}

/// Whether a set loses at least the rank: for query y, or for some query.
std::vector<std::uint64_t> losing(const SmallSets& sets, std::uint32_t rank, std::size_t first,
                                  std::size_t last) {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < sets.sets.size(); ++i)
        for (std::size_t y = first; y < last; ++y)
            if (sets.ranks[y][i] >= rank) {
                out.push_back(sets.sets[i]);
                break;
            }
    return minimal(out);
}

} // namespace

std::optional<SmallSets> small_sets(const Family& family, const StopRequest& stop) {
    if (count_sets(family) > static_cast<double>(SmallSets::most))
        throw Error(ErrorCode::bad_option,
                    "family \"" + family.name + "\": found more than " + std::to_string(SmallSets::most) +
                        " sets of " + std::to_string(family.dim + 1) +
                        " sources over all queries, expected fewer to look for conflicts");
    SmallSets out;
    for (int size = 2; size <= family.dim + 1; ++size) append_sets(0, 0, size, family.sources, out.sets);
    std::vector<std::vector<Rational>> losses;
    for (int y = 0; y < family.queries; ++y) {
        losses.emplace_back();
        for (const std::uint64_t set : out.sets) {
            losses.back().push_back(set_loss(family, set, y));
            if ((losses.back().size() & 0xFFU) == 0 && stop && stop()) return {};
        }
    }
    Ranked all = ranked(losses);
    out.values = std::move(all.values);
    out.ranks = std::move(all.ranks);
    return out;
}

SmallSets small_sets(const Family& family) {
    return *small_sets(family, {});
}

std::vector<Rational> thresholds(const Family& family) {
    return small_sets(family).values;
}

ConflictLists conflict_lists(const SmallSets& sets, const Rational& value, bool sees_query) {
    const std::uint32_t rank = rank_of(sets, value);
    ConflictLists out;
    for (std::size_t y = 0; y < sets.ranks.size(); ++y) {
        if (!sees_query && y > 0) {
            out.list_of.push_back(out.list_of.front());
            continue;
        }
        std::vector<std::uint64_t> list = losing(sets, rank, y, sees_query ? y + 1 : sets.ranks.size());
        const auto known = std::ranges::find(out.lists, list);
        out.list_of.push_back(list.empty() ? -1 : static_cast<int>(known - out.lists.begin()));
        if (!list.empty() && known == out.lists.end()) out.lists.push_back(std::move(list));
    }
    return out;
}

std::vector<std::uint64_t> conflict_graph(const SmallSets& sets, const Rational& value, int sources) {
    std::vector<std::uint64_t> out(static_cast<std::size_t>(sources));
    for (const std::uint64_t set : losing(sets, rank_of(sets, value), 0, sets.ranks.size())) {
        if (std::popcount(set) != 2) continue;
        for (std::size_t x = 0; x < out.size(); ++x)
            if ((set >> x & 1U) != 0) out[x] |= set & ~(std::uint64_t{1} << x);
    }
    return out;
}

} // namespace kvproof
