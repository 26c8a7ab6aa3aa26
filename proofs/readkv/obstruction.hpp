#pragma once

#include "lib/attention/reader_run.hpp"
#include "proofs/sample.hpp"

namespace kvproof {

/// The running reader on ReadKV's E.1.3: a Hadamard-sign U, key and query e_j, scales 1/sqrt(d), (W, R) = (8,
/// 2). Every depth is 2, and the squared error of sqrt(d) times the logit exceeds 0.26052610. The grid: d =
/// 1, 2, 4,
/// ..., 32 and every j; drawn: d up to 256, j and the signs. The slack is the smallest error over 0.26052610.
[[nodiscard]] Decision obstruction_run(const Sample& sample, const MakePolicy& make_policy = readkv_policy);

} // namespace kvproof
