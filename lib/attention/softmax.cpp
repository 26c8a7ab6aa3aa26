#include "lib/attention/softmax.hpp"

#include "lib/attention/vector_kernels.hpp"
#include "lib/error.hpp"
#include "lib/portable/error_bound.hpp"
#include "lib/portable/exp.hpp"
#include "lib/portable/lanes.hpp"
#include "lib/portable/log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace kvproof {

namespace {

constexpr std::size_t block_terms = 256;

/// The roundings that a term meets in `sum`: 31 in its lane, 3 in the tree, one a block.
std::uint64_t sum_roundings(std::size_t terms) {
    return block_terms / strip + 2 + (terms + block_terms - 1) / block_terms;
}

/// terms_j = e^(z_j - most). The difference rounds to `high`, and `low` is exactly what it lost (Knuth's
/// two-sum, which no bound on the magnitudes limits), below 2^-43 where e^high is not 0: e^(high + low) =
/// e^high (1 + low) up to 2^-86.
struct ExpTerms {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const double* logits, double most, double* terms,
                                                  std::size_t count) {
        for (std::size_t j = 0; j < count; ++j) {
            const double high = logits[j] - most;
            const double seen = high - logits[j];
            const double low = (logits[j] - (high - seen)) + (-most - seen);
            const double e = portable::exp(high);
            terms[j] = e + e * low;
        }
    }
};

struct Sum {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline double run(const double* terms, std::size_t length) {
        constexpr std::size_t vectors = strip / lanes;
        double total = 0;
        for (std::size_t first = 0; first < length; first += block_terms) {
            const std::size_t end = first + block_terms < length ? first + block_terms : length;
            typename Lanes<lanes>::Vector sums[vectors] = {};
            for (std::size_t i = first; i < end; i += strip)
                for (std::size_t v = 0; v < vectors; ++v) sums[v] += Lanes<lanes>::at(terms + i + v * lanes);
            total += total_of<lanes>(sums);
        }
        return total;
    }
};

struct Divide {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(double* terms, double sum, std::size_t count) {
        for (std::size_t j = 0; j < count; ++j) terms[j] /= sum;
    }
};

struct Most {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline double run(const double* x, std::size_t count) {
        using V = typename Lanes<lanes>::Vector;
        constexpr std::size_t vectors = strip / lanes;
        const std::size_t whole = count / strip * strip;
        V most[vectors];
        for (std::size_t v = 0; v < vectors; ++v) most[v] = x[0] + V{};
        for (std::size_t i = 0; i < whole; i += strip)
            for (std::size_t v = 0; v < vectors; ++v) {
                const V entry = Lanes<lanes>::at(x + i + v * lanes);
                most[v] = entry > most[v] ? entry : most[v];
            }
        double result = x[0];
        for (std::size_t v = 0; v < vectors; ++v)
            for (std::size_t i = 0; i < lanes; ++i) result = most[v][i] > result ? most[v][i] : result;
        for (std::size_t i = whole; i < count; ++i) result = x[i] > result ? x[i] : result;
        return result;
    }
};

/// The largest logit.
double largest(std::span<const double> logits, Instructions instructions) {
    if (logits.empty()) throw Error(ErrorCode::bad_number, "softmax: no logits, expected at least one");
    const Magnitude magnitude = magnitude_of(logits.data(), logits.size());
    if (!magnitude.finite || magnitude.largest > 0x1p1000)
        for (std::size_t j = 0; j < logits.size(); ++j)
            if (!(std::fabs(logits[j]) <= 0x1p1000))
                throw Error(ErrorCode::bad_number,
                            "softmax: logit " + std::to_string(j) + " is " + std::to_string(logits[j]) +
                                ", expected a finite number of magnitude up to 2^1000");
    return run_kernel<Most>(instructions, logits.data(), logits.size());
}

/// An upper bound of e^x - 1 for x >= 0; e^x <= 1 + x + x^2 up to 1.
double growth_up(double x) {
    if (x <= 1) return mul_up(x, add_up(1, x));
    return mul_up(portable::exp(x), add_up(1, 2 * portable::exp_error));
}

} // namespace

// The bound. Write t_j = e^(z_j - max z) for the given logits. Each term passes through exp (2 u), the
// product with 1 + low (one sum, and a product that matters 2^-43 as much): t~_j = t_j (1 + a) + x, |a| <=
// gamma_4, where |x| <= 2^-1074 is underflow. Their sum S~ = S (1 + b) with |b| <= gamma_{4 + d} + n 2^-1073,
// d roundings a term, since S >= 1 (the largest term is exactly 1) turns absolute errors into relative ones.
// So p~_j = t~_j / S~ (1 + u) is p_j (1 + c) + y with |c| <= (1 + gamma_5) / (1 - |b|) - 1 = (gamma_5 + |b|)
// / (1 - |b|) and |y| <= 2^-1073 + 2^-1075.
//
// A change of the logits by at most r multiplies every p_j by something in [e^-2r, e^2r], hence relative =
// (1 + c) e^2r - 1, and moves LSE by at most r. log S~ = log S + log(1 + b), |log(1 + b)| <= |b| / (1 - |b|).
Softmax softmax(std::span<const double> logits, double radius, Instructions instructions) {
    if (!(radius >= 0))
        throw Error(ErrorCode::bad_number, "softmax: the radius of the logits is " + std::to_string(radius) +
                                               ", expected 0 or more");
    const double most = largest(logits, instructions);
    const std::size_t count = logits.size();
    Softmax result;
    std::vector<double>& terms = result.probabilities;
    terms.resize(padded(count));
    run_kernel<ExpTerms>(instructions, logits.data(), most, terms.data(), count);
    const double sum = run_kernel<Sum>(instructions, static_cast<const double*>(terms.data()), terms.size());
    terms.resize(count);
    run_kernel<Divide>(instructions, terms.data(), sum, count);

    const double b =
        add_up(gamma_up(4 + sum_roundings(count)), mul_up(static_cast<double>(count), 0x1p-1073));
    const double room = sub_down(1, b);
    const double rounding = div_up(add_up(gamma_up(5), b), room);
    const double growth = growth_up(2 * radius);
    result.relative = add_up(add_up(rounding, growth), mul_up(rounding, growth));
    result.absolute = 0x1p-1072;
    // A relative bound near 1 bounds p_j by p~_j no longer, and an infinite one times p~_j = 0 is none at
    // all; two probabilities are never more than 1 apart.
    if (!(result.relative <= 0.5)) {
        result.relative = 0;
        result.absolute = 1;
    }

    const double log_sum = portable::log(sum);
    result.log_sum_exp = most + log_sum;
    const double of_log = add_up(mul_up(2 * portable::log_error, log_sum), div_up(b, room));
    const double of_sum = mul_up(2 * unit_roundoff, std::fabs(result.log_sum_exp));
    result.log_sum_exp_radius = add_up(add_up(of_log, of_sum), radius);
    return result;
}

} // namespace kvproof
