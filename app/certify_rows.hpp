#pragma once

#include "lib/attention/certificate.hpp"

#include <string>
#include <vector>

namespace kvproof::app {

/// ROWS.csv of `kvproof certify`: a header and one line an observation. Numbers are the shortest decimals
/// that read back as the same double, "inf" for an infinite bound; without certificates their columns are
/// empty.
[[nodiscard]] std::string rows_csv(const std::vector<Certified>& rows);

} // namespace kvproof::app
