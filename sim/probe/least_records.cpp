#include "sim/probe/least_records.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace kvproof {
namespace {

using List = std::vector<std::uint64_t>;

std::uint64_t renamed(std::uint64_t set, const Renaming& renaming) {
    std::uint64_t out = 0;
    for (; set != 0; set &= set - 1)
        out |= std::uint64_t{1} << static_cast<unsigned>(
                   renaming[static_cast<std::size_t>(std::countr_zero(set))]);
    return out;
}

/// As a set of sets, whatever their order.
std::vector<List> sorted(std::vector<List> lists) {
    for (List& list : lists) std::ranges::sort(list);
    std::ranges::sort(lists);
    return lists;
}

Renaming identity(int sources) {
    Renaming out(static_cast<std::size_t>(sources));
    std::iota(out.begin(), out.end(), 0);
    return out;
}

void require_permutation(Renaming renaming) {
    std::ranges::sort(renaming);
    if (renaming != identity(static_cast<int>(renaming.size())))
        throw Error(ErrorCode::internal, "a renaming of the sources that is no permutation");
}

/// Whether x is the greatest of those that it is renamed to, one after the other.
bool ends_cycle(const Renaming& renaming, int x) {
    int other = renaming[static_cast<std::size_t>(x)];
    while (other < x) other = renaming[static_cast<std::size_t>(other)];
    return other == x;
}

/// One place of a comparison: the bit of the table itself, and that of the other, which is the sum modulo 2
/// of two where `other` is not 0.
struct Place {
    int own;
    int bit;
    int other = 0;
};

/// Says that the table's bits, read in this order, are not greater than the other's.
void require_not_greater(Cnf& cnf, const std::vector<Place>& places) {
    int agrees = 0; // whether all places before do; 0 at the first
    for (std::size_t k = 0; k < places.size(); ++k) {
        const bool is_last = k + 1 == places.size();
        const int next = is_last ? 0 : ++cnf.variables;
        const auto add = [&](std::vector<int> clause) {
            if (agrees != 0) clause.insert(clause.begin(), -agrees);
            cnf.clauses.push_back(std::move(clause));
        };
        const auto [own, bit, other] = places[k];
        if (other == 0) {
            add({-own, bit});
            if (!is_last) add({bit, next});
        } else {
            add({-own, bit, other});
            add({-own, -bit, -other});
            if (!is_last) {
                add({bit, other, next});
                add({-bit, -other, next});
            }
        }
        if (!is_last) add({-own, next});
        agrees = next;
    }
}

} // namespace

bool keeps(const ConflictLists& lists, const Renaming& renaming) {
    require_permutation(renaming);
    std::vector<List> image = lists.lists;
    for (List& list : image)
        for (std::uint64_t& set : list) set = renamed(set, renaming);
    return sorted(std::move(image)) == sorted(lists.lists);
}

std::vector<Renaming> exchanges(const ConflictLists& lists, int sources) {
    std::vector<Renaming> out;
    for (int y = 2; y < sources; ++y)
        for (int x = y - 1; x > 0; --x) {
            Renaming exchange = identity(sources);
            std::swap(exchange[static_cast<std::size_t>(x)], exchange[static_cast<std::size_t>(y)]);
            if (!keeps(lists, exchange)) continue;
            out.push_back(std::move(exchange));
            break;
        }
    return out;
}

void require_least_records(Cnf& cnf, int bits, int sources, const std::vector<Renaming>& renamings) {
    const auto z = [sources](int i, int x) { return 1 + i * sources + x; };
    for (int i = 0; i + 1 < bits; ++i) {
        std::vector<Place> places;
        for (int x = 1; x < sources; ++x) places.push_back({z(i, x), z(i + 1, x)});
        require_not_greater(cnf, places);
    }
    for (const Renaming& renaming : renamings) {
        const int first = renaming.front();
        std::vector<Place> places;
        for (int x = 1; x < sources; ++x) {
            if (first == 0 && ends_cycle(renaming, x)) continue;
            for (int i = 0; i < bits; ++i)
                places.push_back(
                    {z(i, x), z(i, renaming[static_cast<std::size_t>(x)]), first == 0 ? 0 : z(i, first)});
        }
        require_not_greater(cnf, places);
    }
}

} // namespace kvproof
