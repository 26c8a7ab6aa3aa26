#pragma once

#include "sim/probe/report.hpp"

namespace kvproof::app {

/// Writes a certificate for each decided risk and each bracket that checkers can follow into the folder, made
/// where it is missing: risk-CLASS-wW-rR.cert and game-CLASS-wW-rR.cert, ':' as '-'. Files of other names
/// stay.
void write_probe_certificates(const std::string& folder, const ProbeReport& report, const StopRequest& stop);

} // namespace kvproof::app
