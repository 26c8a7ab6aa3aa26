#pragma once

#include "proofs/certificate/writer.hpp"

namespace kvproof {

/// The results as JSON (format 1, docs/cli.md), every exact number a string. `certificate` is a path below
/// the output folder, `sha256` the hash on the certificate's last line; both null where there is none.
[[nodiscard]] std::string results_json(const std::vector<Result>& results, const CertificateSet& certificates,
                                       bool with_timings);

} // namespace kvproof
