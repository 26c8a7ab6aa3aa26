#pragma once

#include "lib/attention/exact_layer.hpp"
#include "lib/attention/two_stage.hpp"

#include <vector>

namespace kvproof {

/// e^K = k' - k^' of one KV head and the visible tokens (ReadKV E.3.3). `radii` and `norms` are upper bounds:
/// the exact residual e_c of a channel is within radii[c] of the computed one and has at most the norm
/// norms[c]. Radii are empty where no rounding is counted.
struct KeyResiduals {
    std::vector<double> residuals;         ///< [d_h, T]
    std::vector<double> radii;             ///< [d_h]
    std::vector<double> norms;             ///< [d_h]
    double largest_reconstructed_norm = 0; ///< max_j ||k^_j||
};

/// e^V = v' - v^', likewise by token.
struct ValueResiduals {
    std::vector<double> residuals;           ///< [T, d_h]
    std::vector<double> radii;               ///< [T]
    std::vector<double> norms;               ///< [T]
    std::vector<double> squares;             ///< at least the squared norm of the computed residual: [T]
    std::vector<double> reconstructed_norms; ///< ||v^_j||: [T]
};

/// A computed residual fl(x~ - x^) is off by the transform's error of x and one rounding of its own.
/// `out` may hold those of another call, whose memory serves again.
void key_residuals(const ExactLayer& exact, const TwoStageCall& call, std::size_t kv_head, KeyResiduals& out);
void value_residuals(const ExactLayer& exact, const TwoStageCall& call, std::size_t kv_head,
                     ValueResiduals& out);

} // namespace kvproof
