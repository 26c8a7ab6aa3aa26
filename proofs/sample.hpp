#pragma once

#include "lib/codec/nested_code.hpp"
#include "proofs/decision.hpp"

#include <cstdint>
#include <string>

namespace kvproof {

/// What a statement about the running reader is tried on: the code that the reader stores with, and which
/// cases are drawn beside the statement's own grid.
struct Sample {
    const NestedCode& code;
    std::uint64_t seed = 0;
    std::uint64_t cases = 0;
};

/// Runs the reader: supported with the number of cases and the worst margin, or refuted with the case that
/// fails. The same on every machine. Throws Error(unknown_quantity) where the code is shallower than the
/// statement needs.
using SampledStatement = Decision (*)(const Sample&);

/// The statement that rows know by this name, (reader NAME SEED CASES); null where there is none.
[[nodiscard]] SampledStatement sampled_statement(const std::string& name);

} // namespace kvproof
