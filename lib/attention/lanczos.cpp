#include "lib/attention/lanczos.hpp"

#include "lib/attention/tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

namespace kvproof {

namespace {

/// One step from the newest basis vector: w = C v_j - alpha v_j - beta v_{j-1}, made orthogonal to all
/// vectors so far. Returns alpha; w is what follows the newest vector in the basis.
struct Step {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline double run(const double* matrix, std::size_t size, double* basis,
                                                    std::size_t newest, double beta, bool reorthogonalise) {
        const std::size_t length = padded(size);
        const double* v = basis + newest * length;
        double* w = basis + (newest + 1) * length;
        multiply<lanes, false>(matrix, size, v, w);
        const double alpha = dot<lanes>(v, w, length);
        add_multiple<lanes>(w, -alpha, v, length);
        if (newest > 0) add_multiple<lanes>(w, -beta, v - length, length);
        if (reorthogonalise)
            for (std::size_t i = 0; i <= newest; ++i)
                add_multiple<lanes>(w, -dot<lanes>(basis + i * length, w, length), basis + i * length,
                                    length);
        return alpha;
    }
};

struct Norm {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline double run(const double* x, std::size_t length) {
        return std::sqrt(dot<lanes>(x, x, length));
    }
};

} // namespace

RitzPair lanczos(const PaddedMatrix& matrix, const std::vector<double>& start,
                 const LanczosOptions& options) {
    const std::size_t length = matrix.step();
    const std::size_t steps = std::min(options.steps, matrix.size);
    const auto basis = std::make_unique_for_overwrite<double[]>((steps + 1) * length);
    std::vector<double> diagonal;
    std::vector<double> off_diagonal;
    double beta = run_kernel<Norm>(options.instructions, start.data(), length);
    std::ranges::transform(start, basis.get(), [beta](double x) { return x / beta; });
    TridiagonalPair pair;
    RitzPair result;
    for (std::size_t j = 0; j < steps; ++j) {
        diagonal.push_back(run_kernel<Step>(options.instructions, matrix.entries.data(), matrix.size,
                                            basis.get(), j, beta, options.reorthogonalise));
        double* next = basis.get() + (j + 1) * length;
        beta = run_kernel<Norm>(options.instructions, static_cast<const double*>(next), length);
        // A Ritz pair costs as much as a step or two: look at every fourth but near the end, at the last, and
        // where the space ends.
        const bool exhausted = !(beta > 1e-14 * std::fabs(diagonal.front()));
        const bool last = j + 1 == steps || exhausted;
        if (last || (j % 4 == 3 && j + 5 < steps)) {
            pair = largest_of_tridiagonal(diagonal, off_diagonal);
            result.value = pair.value;
            result.residual = beta * std::fabs(pair.vector.back());
            if (last || result.residual <= options.residual * std::fabs(result.value)) break;
        }
        off_diagonal.push_back(beta);
        for (std::size_t i = 0; i < length; ++i) next[i] /= beta;
    }
    result.vector.assign(length, 0.0);
    for (std::size_t j = 0; j < pair.vector.size(); ++j)
        for (std::size_t i = 0; i < length; ++i) result.vector[i] += pair.vector[j] * basis[j * length + i];
    return result;
}

std::vector<double> start_vector(std::size_t size) {
    std::vector<double> x(padded(size));
    for (std::size_t i = 0; i < size; ++i) {
        // SplitMix64's finaliser on i + 1
        std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        z ^= z >> 31U;
        x[i] = static_cast<double>(z >> 11U) * 0x1p-52 - 1;
    }
    return x;
}

} // namespace kvproof
