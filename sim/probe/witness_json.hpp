#pragma once

#include "sim/probe/cell.hpp"

#include <nlohmann/json.hpp>

namespace kvproof {

/// {"records": ["0x1", ...], "trees": [[address or null, ...], ...]}: null where nothing is read.
[[nodiscard]] nlohmann::ordered_json protocol_json(const Protocol& protocol);
/// The same back. Throws nlohmann's exceptions and Error(bad_file_format).
[[nodiscard]] Protocol protocol_from(const nlohmann::ordered_json& json, int bits);

/// {"lower", "upper", "rule", "prior": [[x, y, weight], ...], "mixture": [{"weight", "protocol",
/// "answers"}]}.
[[nodiscard]] nlohmann::ordered_json bracket_json(const Bracket& bracket, const Family& family);
/// The same back: its protocols are of the cell's class and budgets, its answers as many as they need; its
/// ends are the text's word. Throws as protocol_from.
[[nodiscard]] Bracket bracket_from(const nlohmann::ordered_json& json, const Family& family,
                                   const ProbeCell& cell);

} // namespace kvproof
