#pragma once

#include "lib/reader/reader.hpp"

namespace kvproof {

/// A reader whose first two and last two layers are dense (the dagger rows of ReadKV's tables), on a model of
/// so many layers. Where that leaves no layer to compress, it needs no calibration and keeps no tables.
/// Throws Error(bad_option) below four layers.
[[nodiscard]] std::unique_ptr<Reader> protected_reader(std::unique_ptr<Reader> inner, int layers);

} // namespace kvproof
