#pragma once

// Conflicts of docs/probe.md: minimal sets of sources that lose too much in one leaf.

#include "probe_family.hpp"

#include <cstdint>

namespace kvcheck {

/// A check that would take more work than docs/certificates.md allows.
struct TooLarge {};

using SourceSet = std::uint64_t; ///< bit x is source x

/// Of one query, in order of size, then of the ascending members.
[[nodiscard]] std::vector<SourceSet> query_conflicts(const ProbeFamily& family, std::size_t y,
                                                     const mpq_class& value);

/// The lists of the encoding. Throws TooLarge.
[[nodiscard]] std::vector<std::vector<SourceSet>> conflict_lists(const ProbeFamily& family, bool sees_query,
                                                                 const mpq_class& value);

} // namespace kvcheck
