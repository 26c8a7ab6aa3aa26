#pragma once

#include "lib/attention/reader_run.hpp"
#include "proofs/sample.hpp"

namespace kvproof {

/// The running reader on ReadKV's Theorem 1: keys U'z/sqrt(d), calibrated to scales 1/sqrt(d), a query U'q
/// with k nonzero entries, codes of depth W = L and the budget B = L k. `where` names d, k, L, the transform
/// and the query.
///
/// Upper: (x'y - s)^2 <= k eps_L^2/d, s being sqrt(d) times the reader's logit. The grid: d = 4, 16, 64,
/// k = 1, 4, 16, L up to 8, both transforms, q_i = 1/sqrt(k), every z_i the same end of a cell of depth 2 or
/// -1, 0, 1; drawn: other supports, entries and z in multiples of 2^-20. All of it dyadic, so the reader
/// rounds nothing and both sides are exact rationals. The slack is 1 where the bound is attained.
[[nodiscard]] Decision theorem_1_upper(const Sample& sample, const MakePolicy& make_policy = readkv_policy);

/// Schedule: depth L on the support of q and 0 elsewhere, and L k bits of each key. The grid: every support
/// in d = 4, L up to 8, both transforms; drawn: d up to 128, entries over a range of 2^10.
[[nodiscard]] Decision theorem_1_schedule(const Sample& sample,
                                          const MakePolicy& make_policy = readkv_policy);

} // namespace kvproof
