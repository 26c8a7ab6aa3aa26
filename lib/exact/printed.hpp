#pragma once

#include "lib/exact/rational.hpp"

#include <string_view>

namespace kvproof {

/// Half a unit of the last digit of a printed decimal: 0.005 for "0.49", 1/2 for "22001", 5e5 for "4.84e8".
/// What was rounded to these digits lies no farther than that from the decimal. Throws Error(bad_number) for
/// what is no decimal: fractions and hexadecimal floats have no last digit.
[[nodiscard]] Rational half_unit(std::string_view printed);

} // namespace kvproof
