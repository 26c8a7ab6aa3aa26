#pragma once

#include "sim/probe/deterministic.hpp"
#include "sim/probe/randomised.hpp"

#include <string>
#include <vector>

namespace kvproof {

// The records of docs/probe.md, appended line by line.

/// `family` and `targets`, for a family that has its name from a file; none for the others.
void append_family(const Family& family, std::vector<std::string>& records);

/// `record` and `tree`.
void append_protocol(const Protocol& protocol, std::vector<std::string>& records);

/// `lower`, with its clique or its lines. Throws Error(internal) for the kind that has no records.
void append_lower(const LowerWitness& lower, std::vector<std::string>& records);

/// `prior` and `mixture`.
void append_game(const Family& family, const Bracket& bracket, std::vector<std::string>& records);

} // namespace kvproof
