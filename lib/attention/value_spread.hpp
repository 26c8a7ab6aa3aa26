#pragma once

#include "lib/attention/exact_layer.hpp"
#include "lib/attention/largest_eigenvalue.hpp"

#include <vector>

namespace kvproof {

/// The centre c of ReadKV's certificate: the unweighted mean of the visible values, or zero.
enum class Centre { mean, zero };

/// ||V - 1c'||^2 (ReadKV 4.3) of one KV head for a growing number of visible tokens, one d_h x d_h matrix of
/// sums instead of T d_h^2 operations a query. In raw coordinates: the norm does not change under U_V.
///
/// With m a fixed vector near the mean, w_j = fl(v_j - m), G = sum w_j w_j' and s = sum w_j, the matrix of
/// the centred values is G - s s'/T; any m gives the same, and one near the mean keeps the subtraction
/// harmless.
class ValueSpread {
public:
    ValueSpread(const ExactLayer& layer, int kv_head, Centre centre);

    /// Encloses the squared norm for the first `tokens` tokens, at least one; they may not become fewer.
    [[nodiscard]] EigenvalueBounds up_to(int tokens);

private:
    void take(int tokens); // the next ones

    const ExactLayer& layer_;
    std::size_t head_;
    Centre centre_;
    std::vector<double> reference_; // m
    std::vector<double> gram_;      // G
    std::vector<double> sums_;      // s
    double trace_ = 0;              // sum ||w_j||^2
    int seen_ = 0;
};

} // namespace kvproof
