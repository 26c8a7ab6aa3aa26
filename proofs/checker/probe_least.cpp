#include "probe_encoding.hpp"

#include <algorithm>
#include <bit>

namespace kvcheck {
namespace {

SourceSet image_of(SourceSet set, const Renaming& renaming) {
    SourceSet image = 0;
    for (; set != 0; set &= set - 1)
        image |= SourceSet{1} << renaming[static_cast<std::size_t>(std::countr_zero(set))];
    return image;
}

/// Of each source, whether it is the last of its cycle.
std::vector<bool> last_of_cycles(const Renaming& renaming) {
    std::vector<bool> last(renaming.size());
    std::vector<bool> seen(renaming.size());
    for (std::size_t start = renaming.size(); start-- > 0;) { // descending: each cycle from its last
        if (seen[start]) continue;
        last[start] = true;
        for (std::size_t x = start; !seen[x]; x = renaming[x]) seen[x] = true;
    }
    return last;
}

} // namespace

bool Encoding::keeps_lists(const Renaming& renaming, std::size_t& left) const {
    std::vector<std::vector<SourceSet>> before;
    std::vector<std::vector<SourceSet>> after;
    for (const List& list : lists_) {
        if (list.conflicts.size() > left) throw TooLarge{};
        left -= list.conflicts.size();
        before.push_back(list.conflicts);
        after.emplace_back();
        for (const SourceSet set : list.conflicts) after.back().push_back(image_of(set, renaming));
        std::sort(before.back().begin(), before.back().end());
        std::sort(after.back().begin(), after.back().end());
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    return before == after;
}

void Encoding::require_least(const std::vector<Renaming>& renamings) {
    for (long i = 0; i + 1 < w_; ++i) {
        std::vector<Place> places;
        for (long x = 1; x < sources_; ++x) places.push_back({bit(i, x), {bit(i + 1, x)}});
        compare(places);
    }
    for (const Renaming& renaming : renamings) {
        const bool moves_first = renaming[0] != 0;
        const std::vector<bool> last = last_of_cycles(renaming);
        std::vector<Place> places;
        for (std::size_t x = 1; x < renaming.size(); ++x) {
            if (!moves_first && last[x]) continue;
            for (long i = 0; i < w_; ++i) {
                Place place{bit(i, static_cast<long>(x)), {bit(i, static_cast<long>(renaming[x]))}};
                if (moves_first) place.there.push_back(bit(i, static_cast<long>(renaming[0])));
                places.push_back(std::move(place));
            }
        }
        compare(places);
    }
}

void Encoding::compare(const std::vector<Place>& places) {
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto& [here, there] = places[k];
        Clause begin;
        if (k > 0) begin.push_back(-variables_); // the tables agree before
        const long agree = k + 1 < places.size() ? variables_ + 1 : 0;
        const auto add = [&](const Clause& rest) {
            Clause clause = begin;
            clause.insert(clause.end(), rest.begin(), rest.end());
            least_.push_back(std::move(clause));
            ++clauses_;
        };
        const long u = there[0];
        const long v = there.size() > 1 ? there[1] : 0;
        if (v == 0) {
            add({-here, u});
            if (agree != 0) add({u, agree});
        } else {
            add({-here, u, v});
            add({-here, -u, -v});
            if (agree != 0) {
                add({u, v, agree});
                add({-u, -v, agree});
            }
        }
        if (agree != 0) {
            add({-here, agree});
            variables_ = agree;
        }
    }
}

} // namespace kvcheck
