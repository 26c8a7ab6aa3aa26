#include "sim/montecarlo/weight_change.hpp"

#include "lib/portable/exp.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvproof {
namespace {

/// 1/(n+2)!: the series of (e^x - 1 - x) / x^2, cut below 2^-64 of 1/2 for |x| <= 1.
constexpr std::size_t terms = 19;
constexpr std::array<double, terms> series = [] {
    std::array<double, terms> out{};
    double factorial = 2;
    for (std::size_t n = 0; n < terms; ++n) {
        out[n] = 1 / factorial;
        factorial *= static_cast<double>(n) + 3;
    }
    return out;
}();

/// With h = e^x - 1 - x and m = sum a_l h_l (sum a_l x_l = 0): the new weight is a_i (1 + x_i + h_i) / (1 +
/// m), and what it has beyond a_i (1 + x_i) is of second order term by term.
void small_change(const std::vector<double>& a, const double* x, double* rest) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
        double q = series[terms - 1];
#pragma GCC unroll 18
        for (std::size_t k = terms - 1; k-- > 0;) q = q * x[i] + series[k];
        rest[i] = x[i] * x[i] * q;
    }
    double m = 0;
    for (std::size_t i = 0; i < n; ++i) m += a[i] * rest[i];
    for (std::size_t i = 0; i < n; ++i) rest[i] = a[i] * (rest[i] - m * (1 + x[i])) / (1 + m);
}

void large_change(const DecodeStep& step, std::span<const double> alpha, double sign, const double* x,
                  double* rest) {
    const std::vector<double>& a = step.weights;
    double most = step.logits[0] + sign * alpha[0];
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, step.logits[i] + sign * alpha[i]);
    for (std::size_t i = 0; i < a.size(); ++i)
        rest[i] = portable::exp((step.logits[i] + sign * alpha[i]) - most);
    double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i) total += rest[i];
    for (std::size_t i = 0; i < a.size(); ++i) rest[i] = rest[i] / total - a[i] - a[i] * x[i];
}

} // namespace

void weight_change(const DecodeStep& step, std::span<const double> alpha, double sign, WeightChange& out) {
    const std::vector<double>& a = step.weights;
    const std::size_t n = a.size();
    out.first.resize(n);
    out.rest.resize(n);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += a[i] * alpha[i];
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        out.first[i] = sign * (alpha[i] - mean); // x_i for now
        largest = std::max(largest, std::fabs(out.first[i]));
    }
    if (largest <= 1)
        small_change(a, out.first.data(), out.rest.data());
    else
        large_change(step, alpha, sign, out.first.data(), out.rest.data());
    for (std::size_t i = 0; i < n; ++i) out.first[i] *= a[i];
}

std::vector<double> moved_output(const DecodeStep& step, std::span<const double> w) {
    std::vector<double> out(step.dim);
    for (std::size_t i = 0; i < step.tokens; ++i) {
        const double* u = step.offsets.data() + i * step.dim;
        for (std::size_t c = 0; c < step.dim; ++c) out[c] += w[i] * u[c];
    }
    return out;
}

} // namespace kvproof
