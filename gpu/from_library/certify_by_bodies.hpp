#pragma once

#include "gpu/from_library/readkv_reader.hpp"
#include "lib/reader/measure.hpp"

namespace kvproof::gpu {

/// What `measure` gives with certificates, for a layer whose calls and Proposition 12's factors come from the
/// bodies. The bodies certify their own reader against vectors rounded to binary32, so their bound b is
/// carried over to the stored file and to the numbers that the reader returned: the bound is (sqrt(b) + r)^2,
/// r the sum of three distances, computed in double without bounds of their own:
///
/// - between the exact outputs over the file and over the rounded vectors;
/// - V'(alpha^ - alpha~), alpha^ the exact softmax over the reader's keys, alpha~ the weights that it has;
/// - between sum alpha~_j v^_j and what it returned.
///
/// There is no sharp bound: it is infinite in the rows, and so is what it is made of.
[[nodiscard]] Measured certify_by_bodies(const System& system, const LayerInput& input,
                                         const ReaderSettings& settings, const QueryRows& rows,
                                         const ServeLayer& serve, const Executor& executor,
                                         const std::function<void()>& step);

} // namespace kvproof::gpu
