#include "lib/attention/head_view.hpp"

#include "lib/attention/vector_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {

HeadView::HeadView(const ExactLayer& layer, const TwoStageCall& call, const ValueResiduals& residuals,
                   std::size_t query_head, std::span<const double> query)
    : head(query_head),
      kv_head(query_head / static_cast<std::size_t>(layer.shape.query_heads / layer.shape.kv_heads)),
      dim(query.size()), tokens(static_cast<std::size_t>(call.tokens)),
      query_norm(norm_up(query.data(), dim)), reader(call.attention[query_head]),
      reader_logits(std::span(call.logits).subspan(query_head * tokens, tokens)), change(tokens),
      values(residuals),
      values_(layer.raw_values.data() + kv_head * static_cast<std::size_t>(layer.shape.tokens) * dim),
      value_norms_(layer.value_norms.data() + kv_head * static_cast<std::size_t>(layer.shape.tokens)) {
    const auto all = static_cast<std::size_t>(layer.shape.tokens);
    std::vector<double> z(tokens);
    add_weighted_columns(z.data(), query.data(), 1,
                         {layer.raw_keys.data() + kv_head * dim * all, all, dim, tokens});
    const double root = std::sqrt(static_cast<double>(dim));
    divide(z.data(), root, tokens);
    const double largest_key = magnitude_of(layer.key_norms.data() + kv_head * all, tokens).largest;
    // d products and sums, a root and a division
    const double radius = div_up(mul_up(gamma_up(dim + 3), mul_up(query_norm, largest_key)), down(root));
    exact = softmax(z, radius);
    subtract(change.data(), z.data(), reader_logits.data(), tokens);
    largest_change = magnitude_of(change.data(), tokens).largest;
    change_radius = add_up(radius, mul_up(unit_roundoff, largest_change));
}

} // namespace kvproof
