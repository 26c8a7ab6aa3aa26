#pragma once

#include <mpfr.h>

namespace kvproof {

/// -1, 0 or 1; MPFR's is a macro that looks at its argument twice.
[[nodiscard]] inline int sign(mpfr_srcptr x) {
    return mpfr_sgn(x);
}

} // namespace kvproof
