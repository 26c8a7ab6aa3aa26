#include "sim/probe/encoder_search.hpp"

#include <algorithm>
#include <set>

namespace kvproof {
namespace {

/// The cut after the sources are renamed, on the side that leaves source 0 out.
std::uint32_t renamed(std::uint32_t cut, const std::vector<int>& symmetry, std::uint32_t everyone) {
    std::uint32_t out = 0;
    for (std::size_t x = 0; x < symmetry.size(); ++x)
        if (((cut >> x) & 1U) != 0) out |= std::uint32_t{1} << static_cast<unsigned>(symmetry[x]);
    return (out & 1U) != 0 ? everyone & ~out : out;
}

} // namespace

double EncoderSpace::size() const {
    double sets = 0;
    for (const std::size_t leader : leaders) {
        double choices = 1;
        for (int i = 1; i < bits; ++i)
            choices *= std::max(0.0, static_cast<double>(cuts.size() - leader) - i) / i;
        sets += choices;
    }
    return bits == 0 ? 1 : sets;
}

EncoderSpace encoder_space(int sources, int bits, const std::vector<std::vector<int>>& symmetries) {
    const auto everyone =
        static_cast<std::uint32_t>((std::uint64_t{1} << static_cast<unsigned>(sources)) - 1);
    EncoderSpace out{.sources = sources};
    std::vector<bool> seen(std::size_t{everyone} + 1);
    for (std::uint32_t cut = 2; cut <= everyone && sources > 1; cut += 2) {
        if (seen[cut]) continue;
        std::set<std::uint32_t> orbit = {cut};
        for (const std::vector<int>& symmetry : symmetries) orbit.insert(renamed(cut, symmetry, everyone));
        out.leaders.push_back(out.cuts.size());
        // the leader comes first: it is the least of its orbit
        for (const std::uint32_t member : orbit) {
            seen[member] = true;
            out.orbit.push_back(static_cast<std::uint32_t>(out.leaders.size()) - 1);
            out.cuts.push_back(member);
        }
    }
    out.bits = std::min(bits, static_cast<int>(out.cuts.size()));
    return out;
}

} // namespace kvproof
