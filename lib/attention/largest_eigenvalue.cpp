#include "lib/attention/largest_eigenvalue.hpp"

#include "lib/attention/lanczos.hpp"
#include "lib/attention/upper_proof.hpp"
#include "lib/attention/vector_kernels.hpp"
#include "lib/error.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace kvproof {

namespace {

/// What underflow can add anywhere below: entries are scaled to at most 2, so every product that underflows
/// is off by at most 2^-1075 times a factor that n <= 2^20 keeps below 2^70.
constexpr double underflow = 0x1p-1000;

[[noreturn]] void refuse(const SymmetricMatrix& matrix) {
    for (std::size_t a = 0; a < matrix.size; ++a)
        for (std::size_t b = 0; b < matrix.size; ++b) {
            const double entry = matrix.entries[a * matrix.size + b];
            if (!std::isfinite(entry))
                throw Error(ErrorCode::bad_number, "symmetric matrix: entry (" + std::to_string(a) + ", " +
                                                       std::to_string(b) + ") is " + std::to_string(entry) +
                                                       ", expected a finite number");
        }
    throw Error(ErrorCode::internal, "symmetric matrix: an entry is not finite, but none is found");
}

/// The magnitude of the largest entry.
double largest_entry(const SymmetricMatrix& matrix) {
    const Magnitude found = magnitude_of(matrix.entries.data(), matrix.entries.size());
    if (!found.finite) refuse(matrix);
    return found.largest;
}

/// 2^-exponent C. Entries that underflow move by at most 2^-1075 each.
PaddedMatrix scaled(const SymmetricMatrix& matrix, int exponent) {
    const std::size_t n = matrix.size;
    PaddedMatrix result{n, std::vector<double>(padded(n) * padded(n))};
    // in two steps: 2^-exponent itself may be no double
    const double first = std::ldexp(1.0, -(exponent / 2));
    const double second = std::ldexp(1.0, -(exponent - exponent / 2));
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
            result.entries[a * result.step() + b] = matrix.entries[a * n + b] * first * second;
    return result;
}

/// Sums over the entries, each through at most n roundings.
struct Multiply {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const PaddedMatrix* matrix, const double* x, double* y,
                                                  double* magnitudes) {
        multiply<lanes, false>(matrix->entries.data(), matrix->size, x, y);
        multiply<lanes, true>(matrix->entries.data(), matrix->size, x, magnitudes);
    }
};

/// A lower bound of x'Cx / x'x. A term x_a c_ab x_b of the numerator passes through two products and fewer
/// than 2 n sums, so the error is at most gamma_{2n} |x|'|C||x|, which is summed alike and so known up to the
/// same factor.
double rayleigh_down(const PaddedMatrix& matrix, const std::vector<double>& x, Instructions instructions) {
    std::vector<double> y(x.size());
    std::vector<double> magnitudes(x.size());
    run_kernel<Multiply>(instructions, &matrix, x.data(), y.data(), magnitudes.data());
    double quotient = 0;
    double magnitude = 0;
    double square = 0;
    for (std::size_t a = 0; a < matrix.size; ++a) {
        quotient += x[a] * y[a];
        magnitude += std::fabs(x[a]) * magnitudes[a];
        square += x[a] * x[a];
    }
    const double gamma = gamma_up(2 * matrix.size);
    const double error = add_up(mul_up(div_up(gamma, sub_down(1, gamma)), magnitude), underflow);
    const double numerator = sub_down(quotient, error);
    if (!(numerator > 0) || !(square >= 0x1p-100)) return 0;
    return div_down(numerator, div_up(add_up(square, underflow), sub_down(1, gamma)));
}

/// The better of trace and largest absolute row sum, rounded up, for a matrix that is within the radius of a
/// positive semidefinite one: that one's trace may be n times the radius larger, and bounds its largest
/// eigenvalue; (n - 1) times, since the caller adds the radius once more.
EigenvalueBounds simple_bound(const PaddedMatrix& matrix, double radius) {
    double trace = mul_up(static_cast<double>(matrix.size - 1), radius);
    double most = 0;
    for (std::size_t a = 0; a < matrix.size; ++a) {
        const double* row = matrix.entries.data() + a * matrix.step();
        trace = add_up(trace, row[a]);
        double sum = 0;
        for (std::size_t b = 0; b < matrix.size; ++b) sum += std::fabs(row[b]);
        most = std::max(most, sum);
    }
    most = div_up(most, sub_down(1, gamma_up(matrix.size)));
    return trace < most ? EigenvalueBounds{0, trace, EigenvalueMethod::trace}
                        : EigenvalueBounds{0, most, EigenvalueMethod::row_sums};
}

/// Bounds before the radius is added.
EigenvalueBounds bounds_of(const PaddedMatrix& matrix, double radius, const EigenvalueOptions& options) {
    EigenvalueBounds bounds = simple_bound(matrix, radius);
    for (std::size_t a = 0; a < matrix.size; ++a)
        bounds.lower = std::max(bounds.lower, matrix.entries[a * matrix.step() + a]);
    LanczosOptions lanczos_options;
    lanczos_options.residual = options.residual;
    lanczos_options.reorthogonalise = options.reorthogonalise;
    lanczos_options.instructions = options.instructions;
    std::vector<double> start = start_vector(matrix.size);
    double slack = options.slack;
    for (int round = 0; round < options.rounds; ++round) {
        const RitzPair pair = lanczos(matrix, start, lanczos_options);
        bounds.lower = std::max(bounds.lower, rayleigh_down(matrix, pair.vector, options.instructions));
        // a lower bound of 0: far from positive semidefinite, but row sums hold for any matrix
        if (bounds.upper <= bounds.lower * (1 + slack) || bounds.lower == 0) break;
        // The Ritz value is off by about its squared residual over the gap to the next eigenvalue.
        const double residual = pair.residual / bounds.lower;
        const double mu = bounds.lower * (1 + slack + std::min(1e3 * residual * residual, 1e-3));
        const UpperProof proof = prove_upper(matrix, mu, options.instructions);
        if (proof.succeeded) {
            if (proof.upper < bounds.upper) {
                bounds.upper = proof.upper;
                bounds.method = EigenvalueMethod::cholesky;
            }
            break;
        }
        std::ranges::copy(proof.direction, start.begin());
        slack *= 3;
    }
    return bounds;
}

} // namespace

EigenvalueBounds largest_eigenvalue(const SymmetricMatrix& matrix, const EigenvalueOptions& options) {
    const double largest = largest_entry(matrix);
    EigenvalueBounds bounds;
    if (largest > 0) {
        const int exponent = std::ilogb(largest);
        bounds = bounds_of(scaled(matrix, exponent), scale_up(matrix.radius, -exponent), options);
        // the entries that underflowed while scaling
        bounds.lower = scale_down(sub_down(bounds.lower, underflow), exponent);
        bounds.upper = scale_up(add_up(bounds.upper, underflow), exponent);
    }
    bounds.lower = scale_down(std::max(0.0, sub_down(bounds.lower, matrix.radius)), matrix.exponent);
    bounds.upper = scale_up(add_up(bounds.upper, matrix.radius), matrix.exponent);
    return bounds;
}

EigenvalueBounds widened(const EigenvalueBounds& bounds, double radius) {
    if (radius == 0) return bounds;
    const double least = std::max(0.0, sub_down(sqrt_down(bounds.lower), radius));
    const double most = add_up(sqrt_up(bounds.upper), radius);
    return {std::max(0.0, mul_down(least, least)), mul_up(most, most), bounds.method};
}

} // namespace kvproof
