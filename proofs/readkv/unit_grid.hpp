#pragma once

#include "lib/codec/nested_code.hpp"

#include <vector>

namespace kvproof {

/// The ends of the cells of depth 2 cut to [-1, 1], with 0, where pointwise errors are largest: the error of
/// every depth from 2 on is taken at an outer boundary of depth 2, that of depth 1 at 0. Ascending.
[[nodiscard]] inline std::vector<double> unit_grid(const NestedCode& code) {
    std::vector<double> out = {-1};
    for (const float boundary : code.codebook.boundaries[2])
        if (boundary > -1 && boundary < 1) out.push_back(boundary);
    out.push_back(1);
    return out;
}

} // namespace kvproof
