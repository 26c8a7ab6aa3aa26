#pragma once

#include "sim/probe/report.hpp"

namespace kvproof::app {

/// A table of classes and budgets for each w.
[[nodiscard]] std::string probe_text(const ProbeReport& report);

} // namespace kvproof::app
