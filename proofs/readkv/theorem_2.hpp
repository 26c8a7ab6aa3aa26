#pragma once

#include "lib/attention/reader_run.hpp"
#include "proofs/sample.hpp"

namespace kvproof {

/// The running reader on ReadKV's Theorem 2: keys b c_1 e_1 and -b c_1 e_1, the query eta (5 sqrt(m)/c_1)
/// e_1, values in [-1,1]^m, identity transforms, zero means, unit scales, B_K = 1 and B_V = 8. It reads two
/// key bits and all eight bits of the m coordinates of v_{j*}, and (1/m) ||o - o^||^2 < 9.50e-5, o enclosed
/// and o^ as the reader returns it. The grid: m = 1, 2, 3, 8, every sign, both values constant at an end of a
/// cell of depth 2, 0 or +-1; drawn: m up to 16 and any coordinates. The slack is 9.50e-5 over the largest
/// error.
[[nodiscard]] Decision theorem_2_run(const Sample& sample, const MakePolicy& make_policy = readkv_policy);

} // namespace kvproof
