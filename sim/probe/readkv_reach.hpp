#pragma once

#include "lib/codec/nested_code.hpp"
#include "sim/probe/family.hpp"

#include <cstdint>
#include <optional>

namespace kvproof {

/// What ReadKV's own reader reaches on a family (ReadKV 3.2, Theorems 1 and 2).
struct ReadKvReach {
    Rational risk;                ///< the worst squared error over all pairs
    int stored_depth = 0;         ///< W, bits stored of each coordinate
    std::uint64_t bits_read = 0;  ///< the most that it reads of one record for one query, at most r
    double largest_deviation = 0; ///< of its float64 answers from the exact ones, over all pairs
};

/// Runs the two-stage reader on every pair; takes from it which prefixes it reads, and from the float32 table
/// what they decode to, so that the risk is an exact rational.
///
/// Families of inner products in d coordinates: W = min(8, floor(w/d)) bits of each coordinate of z, means of
/// 0 and scales 1/sqrt(d), B_K = r refinements at q_i^2/d (Theorem 1); hadamard through the Hadamard-sign
/// transform, so that what is stored is z there too. Attention: the two keys and two values of Theorem 2 at
/// m = 1, W = min(8, floor(w/4)) bits of each; B_K = 1 reads two key bits, B_V = r - 2 value bits. The query
/// is so long that the weights are p and 1-p of the family.
///
/// Nothing where ReadKV's layout does not fit: pointer, cuts and files; attention with w < 4 or r < 2. With W
/// = 0 or r = 0 the answer is the mean, 0. `code` has at least 8 levels.
[[nodiscard]] std::optional<ReadKvReach> readkv_reach(const Family& family, const NestedCode& code, int bits,
                                                      int probes);

} // namespace kvproof
