#include "sim/probe/clique.hpp"

#include <algorithm>
#include <bit>

namespace kvproof {
namespace {

struct Search {
    const std::vector<std::uint64_t>& neighbours;
    std::size_t wanted;
    std::vector<int> chosen;

    /// Whether the chosen vertices and some of `open`, all neighbours of them all, make a clique that is
    /// large enough. Vertices are coloured so that neighbours differ; a clique has at most one vertex of a
    /// colour.
    bool extend(std::uint64_t open) {
        if (chosen.size() >= wanted) return true;
        std::vector<int> order;
        std::vector<std::size_t> colours; // so many colours are used up to this place
        for (std::uint64_t left = open; left != 0;) {
            const std::size_t colour = colours.empty() ? 1 : colours.back() + 1;
            for (std::uint64_t free = left; free != 0;) {
                const int v = std::countr_zero(free);
                const std::uint64_t self = std::uint64_t{1} << static_cast<unsigned>(v);
                left &= ~self;
                free &= ~self & ~neighbours[static_cast<std::size_t>(v)];
                order.push_back(v);
                colours.push_back(colour);
            }
        }
        for (std::size_t k = order.size(); k-- > 0;) {
            if (chosen.size() + colours[k] < wanted) return false;
            chosen.push_back(order[k]);
            if (extend(open & neighbours[static_cast<std::size_t>(order[k])])) return true;
            chosen.pop_back();
            open &= ~(std::uint64_t{1} << static_cast<unsigned>(order[k]));
        }
        return false;
    }
};

} // namespace

std::vector<int> clique_above(const std::vector<std::uint64_t>& neighbours, std::size_t bound) {
    if (neighbours.size() <= bound) return {};
    Search search{neighbours, bound + 1, {}};
    const unsigned n = static_cast<unsigned>(neighbours.size());
    if (!search.extend(n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1)) return {};
    std::vector<int> out = search.chosen;
    std::ranges::sort(out);
    return out;
}

} // namespace kvproof
