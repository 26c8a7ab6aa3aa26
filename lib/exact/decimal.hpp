#pragma once

#include "lib/exact/interval.hpp"

#include <string>

namespace kvproof {

/// A decimal of at most `digits` significant digits that is not above the lower end. "-inf" for an unbounded
/// end, "nan" for an undefined interval. Independent of the locale.
[[nodiscard]] std::string lower_decimal(const Interval& x, int digits);

/// A decimal of at most `digits` significant digits that is not below the upper end.
[[nodiscard]] std::string upper_decimal(const Interval& x, int digits);

/// The leading significant digits, at most `digits` of them, on which both ends agree (truncated, not
/// rounded): every member of the interval begins with them. Empty where the ends share none. A point that
/// needs fewer digits is printed whole.
[[nodiscard]] std::string shared_decimal(const Interval& x, int digits);

/// How many significant digits both ends share, at most `limit`; `limit` for a point.
[[nodiscard]] int shared_digits(const Interval& x, int limit);

} // namespace kvproof
