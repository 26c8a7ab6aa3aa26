#pragma once

#include "sim/probe/access_class.hpp"
#include "sim/probe/encoder_search.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// A good encoder where there are too many to try: adds the cut that helps most until there are `space.bits`,
/// then replaces one at a time, in turn, while that helps. `tables` [queries, 2^sources] are the losses of a
/// prior in fixed point, which add up; `cuts`, at least one, is where it begins and what it finds. False
/// where it was stopped.
[[nodiscard]] bool descend(const EncoderSpace& space, const std::vector<std::vector<std::int64_t>>& tables,
                           const AccessClass& access, int probes, std::vector<std::uint32_t>& cuts,
                           const StopRequest& stop);

} // namespace kvproof
