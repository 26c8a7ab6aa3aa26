#pragma once

#include "lib/exact/formula.hpp"
#include "sim/probe/access_class.hpp"
#include "sim/probe/family.hpp"

namespace kvproof {

/// What (probe-risk FAMILY CLASS W R ...) and (probe-game FAMILY CLASS W R ...) speak of.
struct ProbeWords {
    Family family;
    AccessClass access;
    int bits = 0;
    int probes = 0;

    /// "staged:2, 3 bits, 2 probes on pointer:2", for people.
    [[nodiscard]] std::string text() const;
};

/// Throws Error(bad_formula) where a budget is none, Error(bad_option) for an unknown family or class.
[[nodiscard]] ProbeWords read_words(const Formula& named);

/// A number of bits or probes, 0 to 16.
[[nodiscard]] int read_budget(const Formula& named, const std::string& word);

} // namespace kvproof
