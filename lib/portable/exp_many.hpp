#pragma once

#include "lib/portable/exp.hpp"
#include "lib/portable/instructions.hpp"

#include <span>

namespace kvproof {

/// out[i] = portable::exp(in[i]), bit for bit; spans of equal length, which may be the same.
void exp_many(std::span<const double> in, std::span<double> out,
              Instructions instructions = best_instructions());

} // namespace kvproof
