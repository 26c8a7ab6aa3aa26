#pragma once

#include "formula.hpp"

#include <map>
#include <string>
#include <string_view>

namespace kvcheck {

struct Claim {
    std::string rule, scope, formula;
    Statement statement;
};

using Registry = std::map<std::string, Claim, std::less<>>;

/// The registry that was compiled in: proofs/claims.tsv.
[[nodiscard]] std::string_view registry_text();

/// Reads the text of a claims.tsv. Throws BadUsage where it or a formula is not understood.
[[nodiscard]] Registry read_registry(std::string_view text);

} // namespace kvcheck
