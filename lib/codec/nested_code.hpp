#pragma once

#include "lib/codec/codebook.hpp"

#include <vector>

namespace kvproof {

/// What a reader needs of a nested code: its stored table, and what its refinements are worth, correctly
/// rounded to the readers' working type.
struct NestedCode {
    Codebook<float> codebook;
    std::vector<double> distortion; ///< D(0) = 1, ..., D(W): the calibrated curve of ReadKV 3.3
    std::vector<double> gain;       ///< gain[t] = Delta_{t+1} = D(t) - D(t+1), rounded once; W entries

    [[nodiscard]] int depth() const { return codebook.depth(); }
};

/// The first `depth` levels of a code: a cut W < 8 of the depth-8 tree.
[[nodiscard]] NestedCode cut(const NestedCode& code, int depth);

/// The Gaussian Lloyd tree of this depth: the deployed code (ReadKV D.1).
[[nodiscard]] NestedCode gaussian_code(int depth);

/// A user's codebook with its true distortions under the normal law.
[[nodiscard]] NestedCode code_of(const Codebook<float>& codebook);

} // namespace kvproof
