#pragma once

// Refutations by unit propagation with hints.

#include "probe_encoding.hpp"

namespace kvcheck {

/// Reads so many lines `rup L L ... 0 H H ...`; throws Invalid unless each follows and the last is empty.
void check_refutation(Records& records, const Encoding& encoding, const mpz_class& lines);

} // namespace kvcheck
