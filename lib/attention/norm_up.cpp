#include "lib/attention/norm_up.hpp"

#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>

namespace kvproof {

double norm_up(const double* x, std::size_t count) {
    // every term passes at most count + 1 roundings; squares that underflow lose at most 2^-1074 each
    const double sum = dot_product(x, x, count);
    // zeros lose nothing, and must stay zero: certificates tell A = 0 from A > 0
    if (sum == 0 && std::all_of(x, x + count, [](double entry) { return entry == 0; })) return 0;
    const double lost = static_cast<double>(count) * 0x1p-1070;
    return sqrt_up(div_up(add_up(sum, lost), sub_down(1, gamma_up(count + 1))));
}

} // namespace kvproof
