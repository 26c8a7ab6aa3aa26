#include "sim/probe/risk_table.hpp"

#include <algorithm>
#include <map>

namespace kvproof {
namespace {

/// The best protocol among the cells of less, for the cell to start from.
std::optional<Protocol> best_of_less(const std::vector<RiskCell>& cells, const Family& family,
                                     const AccessClass& access, int bits, int probes) {
    const RiskCell* best = nullptr;
    for (const RiskCell& cell : cells)
        if (cell.bits <= bits && cell.probes <= probes && is_within(cell.access, access) &&
            (best == nullptr || cell.risk.upper < best->risk.upper))
            best = &cell;
    if (best == nullptr) return {};
    return for_class(widened(best->risk.protocol, bits, probes), family, access);
}

} // namespace

RiskQuestion risk_question(const AccessClass& access, int bits, int probes) {
    const int depth = std::min(bits, probes);
    if (!access.sees_query) return {false, depth, depth, 1};
    return {true, bits, depth, depth == bits ? 1 : access.effective_batches(depth)};
}

std::vector<AccessClass> table_classes(int probes) {
    std::vector<AccessClass> out = {{false, 1}, {false, AccessClass::unlimited}};
    for (int batches = 1; batches <= probes + 1; ++batches) out.push_back({true, batches});
    out.push_back({true, AccessClass::unlimited});
    return out;
}

std::vector<RiskCell> risk_table(const Family& family, int bits, int probes, const RiskSettings& settings) {
    std::map<RiskQuestion, DeterministicRisk> answers;
    std::vector<RiskCell> out;
    for (int w = 0; w <= bits; ++w)
        for (int r = 0; r <= probes; ++r)
            for (const AccessClass& access : table_classes(r)) {
                const auto [answer, is_new] = answers.try_emplace(risk_question(access, w, r));
                if (is_new) {
                    RiskSettings here = settings;
                    here.start = best_of_less(out, family, access, w, r);
                    answer->second = deterministic_risk(family, access, w, r, here);
                }
                out.push_back({w, r, access, answer->second});
                out.back().risk.protocol = widened(answer->second.protocol, w, r);
            }
    return out;
}

} // namespace kvproof
