#include "lib/attention/value_spread.hpp"

#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvproof {

namespace {
constexpr int block_tokens = 128;
} // namespace

ValueSpread::ValueSpread(const ExactLayer& layer, int kv_head, Centre centre)
    : layer_(layer), head_(static_cast<std::size_t>(kv_head)), centre_(centre),
      reference_(static_cast<std::size_t>(layer.shape.dim)) {
    const std::size_t d = reference_.size();
    gram_.resize(d * d);
    sums_.resize(d);
    if (centre == Centre::zero) return;
    const auto tokens = static_cast<std::size_t>(layer.shape.tokens);
    for (std::size_t j = 0; j < tokens; ++j)
        add_scaled(reference_.data(), 1 / static_cast<double>(tokens),
                   layer.raw_values.data() + (head_ * tokens + j) * d, d);
}

/// Token after token, as one by one, but in blocks: the sums of a row of the matrix stay in registers
/// meanwhile.
void ValueSpread::take(int tokens) {
    const std::size_t d = reference_.size();
    const auto count = static_cast<std::size_t>(tokens);
    const double* const values =
        layer_.raw_values.data() +
        (head_ * static_cast<std::size_t>(layer_.shape.tokens) + static_cast<std::size_t>(seen_)) * d;
    std::vector<double> rows(count * d); // w_j = v_j - reference
    std::vector<double> columns(count * d);
    for (std::size_t j = 0; j < count; ++j) {
        double* const w = rows.data() + j * d;
        subtract(w, values + j * d, reference_.data(), d);
        trace_ += dot_product(w, w, d);
        for (std::size_t a = 0; a < d; ++a) columns[a * count + j] = w[a];
    }
    std::vector<const double*> weights;
    for (std::size_t a = 0; a < d; ++a) weights.push_back(columns.data() + a * count);
    add_weighted_rows(gram_.data(), weights, rows.data(), count, d);
    const std::vector<double> ones(count, 1.0);
    add_weighted_rows(sums_.data(), std::array{ones.data()}, rows.data(), count, d);
    seen_ += tokens;
}

EigenvalueBounds ValueSpread::up_to(int tokens) {
    const std::size_t d = reference_.size();
    while (seen_ < tokens) take(std::min(tokens - seen_, block_tokens));
    // Roundings, all relative to sum_j |w_ja| |w_jb|, whose matrix has norm at most sum ||w_j||^2: two for
    // each w, T + 1 for the sums. s s'/T is at most the same by Cauchy and Schwarz and takes 2 T + 4
    // roundings.
    const auto count = static_cast<std::uint64_t>(tokens);
    const double trace_up = div_up(trace_, sub_down(1, gamma_up(count + d + 4)));
    SymmetricMatrix matrix{d, gram_, 0, mul_up(gamma_up(4 * count + 16), add_up(trace_up, trace_up))};
    if (centre_ == Centre::mean)
        for (std::size_t a = 0; a < d; ++a)
            add_scaled(matrix.entries.data() + a * d, -sums_[a] / static_cast<double>(tokens), sums_.data(),
                       d);
    // one rounding may leave (a, b) and (b, a) apart
    for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = 0; b < a; ++b) matrix.entries[b * d + a] = matrix.entries[a * d + b];
    for (std::size_t a = 0; a < d; ++a) matrix.entries[a * d + a] = std::max(0.0, matrix.entries[a * d + a]);
    return largest_eigenvalue(matrix);
}

} // namespace kvproof
