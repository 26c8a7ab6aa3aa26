#include "sim/probe/ranks.hpp"

#include <map>

namespace kvproof {

Ranked ranked(const std::vector<std::vector<Rational>>& tables) {
    std::map<Rational, std::uint32_t> rank = {{Rational(0), 0}};
    for (const auto& table : tables)
        for (const Rational& loss : table) rank.emplace(loss, 0);
    Ranked out;
    for (auto& [value, index] : rank) {
        index = static_cast<std::uint32_t>(out.values.size());
        out.values.push_back(value);
    }
    for (const auto& table : tables) {
        out.ranks.emplace_back();
        for (const Rational& loss : table) out.ranks.back().push_back(rank.at(loss));
    }
    return out;
}

} // namespace kvproof
