#include "lib/attention/output_error.hpp"

#include "lib/attention/vector_kernels.hpp"

namespace kvproof {

OutputError output_error(const HeadView& view, std::span<const double> returned, double value_error) {
    const std::size_t d = view.dim;
    std::vector<double> output(d);
    std::vector<double> moved(d);
    std::vector<double> residual(d);
    double of_exact = 0;  // sum alpha_j ||v_j||
    double of_reader = 0; // sum alpha^_j ||v^_j||
    double lengths = 0;
    for (std::size_t j = 0; j < view.tokens; ++j) {
        const double exact = view.exact.probabilities[j];
        const double reader = view.reader.probabilities[j];
        add_scaled(output.data(), exact, view.value(j), d);
        add_scaled(moved.data(), exact - reader, view.value(j), d);
        add_scaled(residual.data(), reader, view.values.residuals.data() + j * d, d);
        of_exact = add_up(of_exact, mul_up(exact, view.value_norm(j)));
        of_reader = add_up(of_reader, mul_up(reader, view.values.reconstructed_norms[j]));
        lengths = add_up(lengths, add_up(view.value_norm(j), view.values.reconstructed_norms[j]));
    }
    // A sum of T weighted vectors rounds by at most gamma_{T+1} sum |weight| ||vector||; its weights are
    // known to Softmax's bounds; the reader's sum then goes through the inverse transform.
    const double summing = gamma_up(view.tokens + 2);
    const double off = add_up(mul_up(add_up(summing, mul_up(2, view.exact.relative)), of_exact),
                              mul_up(mul_up(2, view.exact.absolute), lengths));
    const double own = add_up(
        mul_up(add_up(add_up(summing, mul_up(2, view.reader.relative)), mul_up(2, value_error)), of_reader),
        mul_up(mul_up(2, view.reader.absolute), lengths));
    std::vector<double> error(d);
    subtract(error.data(), output.data(), returned.data(), d);
    const double norm = norm_up(error.data(), d);
    OutputError out;
    out.error_sq = square_up(mul_up(add_up(norm, off), add_up(1, 2 * unit_roundoff)));
    out.output_sq = dot_product(output.data(), output.data(), d);
    out.attention_term_sq = dot_product(moved.data(), moved.data(), d);
    out.value_term_sq = dot_product(residual.data(), residual.data(), d);
    // the last term: norm_up and the squares may each lie a few roundings above
    out.allowance = add_up(add_up(own, mul_up(2, off)), mul_up(gamma_up(2 * d + 16), norm));
    return out;
}

} // namespace kvproof
