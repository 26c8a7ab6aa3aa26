#pragma once

#include "proofs/registry.hpp"

namespace kvproof::app {

/// docs/audit.md: the claims about printed numbers, counted, and each that does not plainly follow with its
/// numbers. The claims are decided for it.
[[nodiscard]] std::string audit_page(const std::vector<Claim>& claims);

} // namespace kvproof::app
