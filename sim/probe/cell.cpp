#include "sim/probe/cell.hpp"

#include "sim/probe/set_losses.hpp"
#include "sim/probe/symmetry.hpp"

namespace kvproof {

ProbeEngines::ProbeEngines(const Family& family) : family_(family), symmetries_(source_symmetries(family)) {}

DeterministicCell ProbeEngines::deterministic(const ProbeCell& cell, const std::optional<Protocol>& reached,
                                              const StopRequest& stop) const {
    RiskSettings settings;
    settings.stop = stop;
    settings.symmetries = symmetries_;
    settings.start = reached;
    DeterministicRisk risk = deterministic_risk(family_, cell.access, cell.bits, cell.probes, settings);
    std::string by(to_string(risk.witness.kind));
    return {risk.lower, risk.upper, std::move(risk.protocol), std::move(by),
            std::make_shared<const LowerWitness>(std::move(risk.witness))};
}

std::optional<Bracket> ProbeEngines::randomised(const ProbeCell& cell, const StopRequest& stop) const {
    if (family_.sources > SetLosses::most_sources) return {};
    GameSettings settings;
    settings.stop = stop;
    return randomised_risk(family_, cell.access, cell.bits, cell.probes, settings);
}

} // namespace kvproof
