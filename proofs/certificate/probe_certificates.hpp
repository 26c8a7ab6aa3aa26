#pragma once

#include "proofs/certificate/writer.hpp"
#include "sim/probe/deterministic.hpp"
#include "sim/probe/randomised.hpp"

#include <optional>

namespace kvproof {

// Certificates of risks outside the registry (docs/probe.md): their claims carry their parameters.

/// A certificate and the claim in it, probe.risk(FAMILY;CLASS;W;R;VALUE) or probe.game(...;LOWER;UPPER).
struct NamedCertificate {
    std::string claim;
    Certificate certificate;
};

/// Of a deterministic risk that a protocol reaches. `known`, where not null and of a kind that has records,
/// is why the risk is no smaller; else that is searched for. Nothing where none is found before `stop`.
[[nodiscard]] std::optional<NamedCertificate>
risk_certificate(const Family& family, const AccessClass& access, int probes, const Protocol& protocol,
                 const LowerWitness* known = nullptr, const StopRequest& stop = {});

/// Of a bracket. Nothing where its lower end is not one that a checker computes.
[[nodiscard]] std::optional<NamedCertificate> game_certificate(const Family& family,
                                                               const AccessClass& access, int bits,
                                                               int probes, const Bracket& bracket);

} // namespace kvproof
