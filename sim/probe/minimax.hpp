#pragma once

#include "sim/probe/encoder_search.hpp"
#include "sim/probe/protocol.hpp"

#include <optional>

namespace kvproof {

/// A deterministic minimax risk of one class and budget: the protocol reaches it.
struct MinimaxRisk {
    Rational risk;
    Protocol protocol;
};

/// By trying every encoder up to symmetry, with the best tree for each query. Cost: encoder_space().size()
/// encoders, each as many trees as TreeSearch looks at for each query that differs. Nothing where `stop`
/// ended it. Throws Error(bad_option) for more sources than SetLosses takes.
[[nodiscard]] std::optional<MinimaxRisk> exhaustive_risk(const Family& family, const AccessClass& access,
                                                         int bits, int probes,
                                                         const std::vector<std::vector<int>>& symmetries = {},
                                                         const StopRequest& stop = {});

/// The protocol whose record has bit i where a source is in cut i, with the best trees for these cuts.
[[nodiscard]] Protocol best_protocol(std::span<const std::uint32_t> cuts,
                                     const std::vector<std::vector<std::uint32_t>>& tables,
                                     const std::vector<int>& table_of, const AccessClass& access, int sources,
                                     int bits, int probes);

} // namespace kvproof
