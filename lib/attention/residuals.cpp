#include "lib/attention/residuals.hpp"

#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>

namespace kvproof {

void key_residuals(const ExactLayer& exact, const TwoStageCall& call, std::size_t kv_head,
                   KeyResiduals& out) {
    const auto d = static_cast<std::size_t>(exact.shape.dim);
    const auto tokens = static_cast<std::size_t>(call.tokens);
    const auto all = static_cast<std::size_t>(exact.shape.tokens);
    // an entry of token j is off by at most key_error ||k_j||, so a channel by that times the root of the sum
    const double turned = mul_up(exact.key_error, norm_up(exact.key_norms.data() + kv_head * all, tokens));
    out.radii.clear();
    out.norms.clear();
    out.residuals.resize(d * tokens);
    std::vector<double> squares(tokens);
    for (std::size_t c = 0; c < d; ++c) {
        double* const residual = out.residuals.data() + c * tokens;
        const double* const reconstructed = call.keys.data() + (kv_head * d + c) * tokens;
        subtract(residual, exact.keys.data() + (kv_head * d + c) * all, reconstructed, tokens);
        add_squares(squares.data(), reconstructed, tokens);
        const double norm = norm_up(residual, tokens);
        const double radius = add_up(turned, mul_up(2 * unit_roundoff, norm));
        out.radii.push_back(radius);
        out.norms.push_back(add_up(norm, radius));
    }
    const double most = magnitude_of(squares.data(), tokens).largest;
    out.largest_reconstructed_norm = sqrt_up(div_up(most, sub_down(1, gamma_up(d + 1))));
}

void value_residuals(const ExactLayer& exact, const TwoStageCall& call, std::size_t kv_head,
                     ValueResiduals& out) {
    const auto d = static_cast<std::size_t>(exact.shape.dim);
    const auto tokens = static_cast<std::size_t>(call.tokens);
    const auto all = static_cast<std::size_t>(exact.shape.tokens);
    out.residuals.resize(tokens * d);
    const double* const reconstructed = call.values.data() + kv_head * tokens * d;
    subtract(out.residuals.data(), exact.values.data() + kv_head * all * d, reconstructed, tokens * d);
    const std::vector<double> zero(d);
    RowNorms computed = row_norms_up(out.residuals.data(), zero.data(), tokens, d);
    const double* const value_norms = exact.value_norms.data() + kv_head * all;
    out.radii.resize(tokens);
    out.norms.resize(tokens);
    for (std::size_t j = 0; j < tokens; ++j) {
        // four roundings, of positive terms; 0 where exactly nothing is left
        const double rounding = exact.value_error * value_norms[j];
        const double least = computed.norms[j] == 0 && rounding == 0 ? 0 : 0x1p-1022;
        const double radius = (rounding + 2 * unit_roundoff * computed.norms[j] + least) * (1 + 0x1p-50);
        out.radii[j] = radius;
        out.norms[j] = (computed.norms[j] + radius) * (1 + 0x1p-50);
    }
    out.squares = std::move(computed.squares);
    out.reconstructed_norms = row_norms_up(reconstructed, zero.data(), tokens, d).norms;
}

} // namespace kvproof
