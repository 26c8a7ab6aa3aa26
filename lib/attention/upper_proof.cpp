#include "lib/attention/upper_proof.hpp"

#include "lib/attention/cholesky.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>

namespace kvproof {

UpperProof prove_upper(const PaddedMatrix& c, double mu, Instructions instructions) {
    const std::size_t n = c.size;
    std::vector<double> shifted(n * n);
    double trace = 0;
    double largest = 0;
    for (std::size_t a = 0; a < n; ++a) {
        const double* row = c.entries.data() + a * c.step();
        std::transform(row, row + a, shifted.begin() + static_cast<std::ptrdiff_t>(a * n),
                       [](double entry) { return -entry; });
        const double diagonal = mu - row[a];
        shifted[a * n + a] = diagonal;
        trace = add_up(trace, diagonal);
        largest = std::max(largest, diagonal);
    }
    const Cholesky cholesky(shifted, n, instructions);
    if (!cholesky.succeeded()) return {false, 0, cholesky.failed_direction()};
    const double shift = add_up(cholesky_backward_error(n, trace), mul_up(unit_roundoff, largest));
    return {true, add_up(mu, shift), {}};
}

} // namespace kvproof
