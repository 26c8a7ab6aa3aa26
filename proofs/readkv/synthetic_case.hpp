#pragma once

#include "lib/attention/reader_run.hpp"
#include "proofs/sample.hpp"

namespace kvproof {

/// The largest sizes to draw.
struct CaseLimits {
    int dim = 64;
    int tokens = 34;
};

/// A layer that looks like attention, its calibration from another draw of the same law, and how to read it.
/// Drawn: d_h from 2, 4, 8, 16, 64; one or two KV heads with one to three query heads each; 1 to 34 tokens;
/// stored depth, rates in quarters, transform, value scale and pool. Channels have means and scales of their
/// own (1/8 to 4); each of these by chance: one common factor in all channels, heavy tails (a normal number
/// over the root of a uniform one), one channel scaled by 16, one channel constant, a mean that has moved by
/// three scales since the calibration, queries of up to sixteen times the size, which open gaps between
/// logits.
struct SyntheticCase {
    CaptureLayer layer; ///< one query row
    Calibration calibration;
    ReaderSetup setup;
    int visible = 0;   ///< tokens that the query sees: all, or all but the last
    std::string where; ///< seed, case and sizes in words
};

[[nodiscard]] SyntheticCase synthetic_case(const Sample& sample, std::uint64_t index,
                                           const CaseLimits& limits = {});

} // namespace kvproof
