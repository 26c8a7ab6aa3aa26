#pragma once

#include "proofs/quantities.hpp"

namespace kvproof {

/// One line of the separation table (ReadKV 4.1): k-sparse queries in dimension d, reads r, depth L.
struct Separation {
    long k;
    int depth;         ///< L = min(8, floor(r / k)), the deepest admissible level
    Interval converse; ///< 2^(1-2r/d) / (pi e): d times what every query-independent reader must err
    Interval achieved; ///< k eps_L^2: d times what ReadKV errs at most
    Truth certified;   ///< achieved < converse
    Interval factor;   ///< converse / achieved
};

/// Every admissible k = 1..min(d, r) for dimension d and r probes, storage w = 8 d.
[[nodiscard]] std::vector<Separation> separations(const CertifiedQuantities& quantities, long d, long r,
                                                  Bits bits);

/// 2^(1-2r/d) / (pi e).
[[nodiscard]] Interval converse_coefficient(long d, long r, Bits bits);

} // namespace kvproof
