#pragma once

#include "sim/probe/deterministic.hpp"
#include "sim/probe/randomised.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kvproof {

/// What is asked for: the risks of one class of readers at one budget.
struct ProbeCell {
    AccessClass access;
    int bits = 0;   ///< w
    int probes = 0; ///< r

    bool operator==(const ProbeCell&) const = default;
};

/// What is known of a deterministic minimax risk: it lies in [lower, upper], and is `upper` where it was
/// decided.
struct DeterministicCell {
    Rational lower;
    Rational upper;
    Protocol protocol; ///< its risk is `upper`
    std::string by;    ///< why it is at least `lower`: zero, unread, clique, unsat, exhaustive; or nothing
    std::shared_ptr<const LowerWitness> witness = {}; ///< where a search of this run left one

    [[nodiscard]] bool decided() const { return lower == upper; }
};

/// The engines for one family.
class ProbeEngines {
public:
    explicit ProbeEngines(const Family& family);

    /// By trying every encoder, or by a solver. Stopped, it says what is known by then. `reached`: a protocol
    /// of these budgets and a class within this one, to begin from.
    [[nodiscard]] DeterministicCell deterministic(const ProbeCell& cell,
                                                  const std::optional<Protocol>& reached,
                                                  const StopRequest& stop) const;
    /// With public coins; nothing where the family has too many sources.
    [[nodiscard]] std::optional<Bracket> randomised(const ProbeCell& cell, const StopRequest& stop) const;

private:
    const Family& family_;
    std::vector<std::vector<int>> symmetries_;
};

} // namespace kvproof
