#pragma once

#include "lib/attention/reader_run.hpp"
#include "proofs/sample.hpp"

namespace kvproof {

/// ReadKV 3 and C.2, staged(2), of the running reader on synthetic cases, by turning stored bits over:
///   - every bit of the cache: the key addresses stay (they depend on the query only);
///   - every value bit and every key bit that was not read: the value addresses and the logits stay;
///   - every bit that was not read, all at once and then a random half of them: the outputs keep their bits;
///   - one key bit and one value bit that were read: what is reconstructed changes.
/// And the reader charges exactly the bits of its schedules.
[[nodiscard]] Decision reads_are_staged(const Sample& sample, const MakePolicy& make_policy = readkv_policy);

} // namespace kvproof
