#pragma once

#include "sim/probe/minimax.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kvproof::app {

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

    [[nodiscard]] bool decided() const { return lower == upper; }
};

/// A bracket of the minimax risk with public coins.
struct RandomisedCell {
    Rational lower;
    Rational upper;
};

/// The engines, each behind one function. Stopped, or where no engine takes a family as large as this, the
/// deterministic one says what reading nothing says; the randomised one may say nothing.
[[nodiscard]] DeterministicCell deterministic_cell(const Family& family, const ProbeCell& cell,
                                                   const StopRequest& stop);
[[nodiscard]] std::optional<RandomisedCell> randomised_cell(const Family& family, const ProbeCell& cell,
                                                            const StopRequest& stop);

} // namespace kvproof::app
