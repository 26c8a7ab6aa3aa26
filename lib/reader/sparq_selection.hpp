#pragma once

#include <span>
#include <vector>

namespace kvproof {

/// The two choices of SparQ (Ribar et al., ICML 2024; ReadKV F.2) for one KV head and the query heads that
/// share it. All of them are deterministic: of equal numbers, the lower index comes first.

/// The r channels of largest sum over the query heads of |q_c|, ascending. `queries` is [heads, dim].
[[nodiscard]] std::vector<int> sparq_channels(std::span<const double> queries, int dim, int r);

/// What the dot product over the selected channels is multiplied with to give a query's approximate logits:
/// 1 / sqrt(dim * sum of selected |q_c| / sum of |q_c|); 0 where the query is 0 on them, as are then all its
/// logits.
[[nodiscard]] double sparq_logit_factor(std::span<const double> query, std::span<const int> channels);

/// The tokens to read, ascending: the current one (the last), the `local` latest before it, and of the other
/// past ones those of largest score, k past ones in all or as many as there are. 0 <= local <= k.
[[nodiscard]] std::vector<int> sparq_tokens(std::span<const double> scores, int k, int local);

} // namespace kvproof
