#pragma once

#include "sim/probe/randomised.hpp"

namespace kvproof {

/// Whether checkers compute the lower end of this bracket themselves: it is the class's own answer to the
/// prior, or 0, and the work is within the limits of docs/probe.md.
[[nodiscard]] bool is_checkable(const Family& family, const AccessClass& access, int bits, int probes,
                                const Bracket& bracket);

} // namespace kvproof
