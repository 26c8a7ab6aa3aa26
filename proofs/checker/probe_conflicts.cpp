#include "probe_conflicts.hpp"

#include "probe_ball.hpp"

#include <algorithm>
#include <bit>

namespace kvcheck {
namespace {

constexpr unsigned long most_pairs = 1UL << 20, most_sets = 1UL << 16;

std::vector<std::size_t> members_of(SourceSet set) {
    std::vector<std::size_t> members;
    for (; set != 0; set &= set - 1) members.push_back(static_cast<std::size_t>(std::countr_zero(set)));
    return members;
}

bool holds_one_of(SourceSet set, const std::vector<SourceSet>& conflicts) {
    return std::any_of(conflicts.begin(), conflicts.end(), [set](SourceSet c) { return (set & c) == c; });
}

bool comes_before(SourceSet a, SourceSet b) {
    if (std::popcount(a) != std::popcount(b)) return std::popcount(a) < std::popcount(b);
    const SourceSet differ = a ^ b;
    return (a & differ & (~differ + 1)) != 0; // the first member that differs is the smaller one in a
}

/// All sets of so many sources from `first` on, added to `set`, in order of their members.
template <class Visit>
void for_each_set(SourceSet set, std::size_t first, std::size_t more, std::size_t sources,
                  const Visit& visit) {
    if (more == 0) return visit(set);
    for (std::size_t x = first; x + more <= sources; ++x)
        for_each_set(set | SourceSet{1} << x, x + 1, more - 1, sources, visit);
}

} // namespace

std::vector<SourceSet> query_conflicts(const ProbeFamily& family, std::size_t y, const mpq_class& value) {
    std::vector<SourceSet> found;
    for (std::size_t a = 0; a < family.sources; ++a) {
        for (std::size_t b = a + 1; b < family.sources; ++b) {
            if (pair_loses(family, y, a, b, value)) found.push_back(SourceSet{1} << a | SourceSet{1} << b);
        }
    }
    for (std::size_t size = 3; size <= family.numbers + 1; ++size) {
        const std::vector<SourceSet> smaller = found;
        for_each_set(0, 0, size, family.sources, [&](SourceSet set) {
            if (!holds_one_of(set, smaller) && set_loss(family, y, members_of(set)) >= value)
                found.push_back(set);
        });
    }
    return found;
}

std::vector<std::vector<SourceSet>> conflict_lists(const ProbeFamily& family, bool sees_query,
                                                   const mpq_class& value) {
    mpz_class tried = 0;
    for (std::size_t size = 2; size <= family.numbers + 1; ++size) {
        mpz_class sets;
        mpz_bin_uiui(sets.get_mpz_t(), family.sources, size);
        tried += sets * static_cast<unsigned long>(family.queries);
    }
    if (tried > (family.numbers == 1 ? most_pairs : most_sets)) throw TooLarge{};
    std::vector<std::vector<SourceSet>> lists;
    for (std::size_t y = 0; y < family.queries; ++y) {
        std::vector<SourceSet> conflicts = query_conflicts(family, y, value);
        const bool is_new = std::find(lists.begin(), lists.end(), conflicts) == lists.end();
        if (!conflicts.empty() && is_new) lists.push_back(std::move(conflicts));
    }
    if (sees_query || lists.empty()) return lists;
    std::vector<SourceSet> all;
    for (const std::vector<SourceSet>& list : lists) all.insert(all.end(), list.begin(), list.end());
    std::sort(all.begin(), all.end(), comes_before);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::vector<SourceSet> minimal;
    for (const SourceSet set : all) {
        // Those before it of its own size are different sets, so none of them is a part of it.
        if (family.numbers == 1 || !holds_one_of(set, minimal)) minimal.push_back(set);
    }
    return {minimal};
}

} // namespace kvcheck
