#pragma once

#include "proofs/certificate/writer.hpp"

#include <string>

namespace kvproof::app {

/// Writes results.json, manifest.json (what was run, what was not) and certificates/*.cert into a new folder
/// beside `folder`, then puts it in its place by renaming: `folder` is the old run or the new one, never half
/// of each. A folder that holds anything this program does not write is left alone. Throws
/// Error(file_not_writable).
void write_out_dir(const std::string& folder, const std::string& results, const std::vector<Result>& ran,
                   const CertificateSet& certificates);

} // namespace kvproof::app
