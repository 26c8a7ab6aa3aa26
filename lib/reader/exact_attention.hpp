#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace kvproof {

/// sum_c x_c y_c in double, c ascending; as many entries as x has.
[[nodiscard]] double dot(std::span<const double> x, std::span<const double> y);

/// exp(l_j - max l) over their sum, in double, j ascending. A logit of -infinity is a masked token and gets
/// weight 0; where every token is masked all weights are 0, not NaN. Finite logits otherwise.
[[nodiscard]] std::vector<double> attention_weights(std::span<const double> logits);

/// Attention of one query to the tokens 0 .. tokens-1: softmax of q.k_j/sqrt(d), sum of a_j v_j. `key(j)` and
/// `value(j)` give spans of d entries; `output` has d.
template <class Key, class Value>
void attend(std::span<const double> query, int tokens, Key&& key, Value&& value, std::span<double> output) {
    const double root = std::sqrt(static_cast<double>(query.size()));
    std::vector<double> logits(static_cast<std::size_t>(tokens));
    for (int j = 0; j < tokens; ++j) logits[static_cast<std::size_t>(j)] = dot(query, key(j)) / root;
    const std::vector<double> weights = attention_weights(logits);
    for (double& entry : output) entry = 0;
    for (int j = 0; j < tokens; ++j) {
        const double weight = weights[static_cast<std::size_t>(j)];
        const std::span<const double> v = value(j);
        for (std::size_t c = 0; c < output.size(); ++c) output[c] += weight * v[c];
    }
}

} // namespace kvproof
