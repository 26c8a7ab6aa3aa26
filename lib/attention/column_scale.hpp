#pragma once

#include "lib/attention/matrix.hpp"
#include "lib/portable/instructions.hpp"

#include <vector>

namespace kvproof {

/// max_j |e_ja| for every column a. Throws Error(bad_number), naming the first entry that is not finite.
[[nodiscard]] std::vector<double> column_maxima(const MatrixView& e,
                                                Instructions instructions = best_instructions());

/// The exponent k with 2^k <= maximum < 2^(k + 1), moved into [-1000, 1000] so that 2^k and 2^-k are doubles;
/// 0 for 0.
[[nodiscard]] int scaling_exponent(double maximum);

/// scaling_exponent of every column's maximum.
[[nodiscard]] std::vector<int> column_exponents(const MatrixView& e,
                                                Instructions instructions = best_instructions());

} // namespace kvproof
