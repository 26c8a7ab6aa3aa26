#include "lib/attention/output_error.hpp"

#include "lib/attention/vector_kernels.hpp"

#include <array>

namespace kvproof {

OutputError output_error(const HeadView& view, std::span<const double> returned, double value_error) {
    const std::size_t d = view.dim;
    std::vector<double> apart(view.tokens);
    subtract(apart.data(), view.exact.probabilities.data(), view.reader.probabilities.data(), view.tokens);
    const double* const exact = view.exact.probabilities.data();
    const double* const reader = view.reader.probabilities.data();
    std::vector<double> sums(2 * d);
    add_weighted_rows(sums.data(), std::array{exact, static_cast<const double*>(apart.data())}, view.value(0),
                      view.tokens, d);
    const double* const output = sums.data();
    const double* const moved = sums.data() + d;
    std::vector<double> residual(d);
    add_weighted_rows(residual.data(), std::array{reader}, view.values.residuals.data(), view.tokens, d);
    // sums of products of nonnegative numbers: within gamma_{T+1} of the truth
    const double* const lengths_read = view.values.reconstructed_norms.data();
    const double grown = add_up(1, gamma_up(view.tokens + 4));
    const double lost = static_cast<double>(view.tokens) * 0x1p-1073;
    const auto sum_up = [&](double sum) { return add_up(mul_up(sum, grown), lost); };
    const double of_exact = sum_up(dot_product(exact, &view.value_norm(0), view.tokens));
    const double of_reader = sum_up(dot_product(reader, lengths_read, view.tokens));
    const double lengths =
        sum_up(sum_of(&view.value_norm(0), view.tokens) + sum_of(lengths_read, view.tokens));
    // A sum of T weighted vectors rounds by at most gamma_{T+1} sum |weight| ||vector||; its weights are
    // known to Softmax's bounds; the reader's sum then goes through the inverse transform.
    const double summing = gamma_up(view.tokens + 2);
    const double off = add_up(mul_up(add_up(summing, mul_up(2, view.exact.relative)), of_exact),
                              mul_up(mul_up(2, view.exact.absolute), lengths));
    const double own = add_up(
        mul_up(add_up(add_up(summing, mul_up(2, view.reader.relative)), mul_up(2, value_error)), of_reader),
        mul_up(mul_up(2, view.reader.absolute), lengths));
    std::vector<double> error(d);
    subtract(error.data(), output, returned.data(), d);
    const double norm = norm_up(error.data(), d);
    OutputError out;
    out.error_sq = square_up(mul_up(add_up(norm, off), add_up(1, 2 * unit_roundoff)));
    out.output_sq = dot_product(output, output, d);
    out.attention_term_sq = dot_product(moved, moved, d);
    out.value_term_sq = dot_product(residual.data(), residual.data(), d);
    // the last term: norm_up and the squares may each lie a few roundings above
    out.allowance = add_up(add_up(own, mul_up(2, off)), mul_up(gamma_up(2 * d + 16), norm));
    out.centre.resize(d); // under (alpha + alpha^)/2
    for (std::size_t c = 0; c < d; ++c) out.centre[c] = output[c] - 0.5 * moved[c];
    return out;
}

} // namespace kvproof
