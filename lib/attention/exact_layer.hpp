#pragma once

#include "lib/attention/norm_up.hpp"
#include "lib/capture/capture.hpp"
#include "lib/codec/transform.hpp"

#include <vector>

namespace kvproof {

/// One layer at full precision, as the certificate needs it beside what the reader reconstructed: keys
/// channel by channel, values token by token, both as stored and transformed, with bounds on what the
/// transform rounds.
struct ExactLayer {
    ExactLayer(const CaptureLayer& layer, const Transform& key_transform, const Transform& value_transform);

    CaptureShape shape;
    std::vector<double> raw_keys;    ///< [G, d_h, T]
    std::vector<double> keys;        ///< k' = U_K k, computed: [G, d_h, T]
    std::vector<double> raw_values;  ///< [G, T, d_h]
    std::vector<double> values;      ///< v' = U_V v, computed: [G, T, d_h]
    std::vector<double> key_norms;   ///< upper bounds of ||k_j||: [G, T]
    std::vector<double> value_norms; ///< upper bounds of ||v_j||: [G, T]
    /// ||computed U x - U x|| <= transform_error(...) ||x||.
    double key_error = 0;
    double value_error = 0;
};

/// An upper bound of ||computed U x - U x|| / ||x||. Each of the log2 d stages of the fast transform rounds
/// each of its sums once, relative to the sum; the stages are sqrt(2) times orthogonal, so relative errors in
/// the norm add up, and the last product by the double next to 1/sqrt(d) adds three more roundings: gamma of
/// log2 d + 3. The identity rounds nothing.
[[nodiscard]] double transform_error(const Transform& transform);

/// Upper bounds of ||x_j - c||^2 and of ||x_j - c|| for the rows x_j of a [count, d] matrix.
struct RowNorms {
    std::vector<double> squares;
    std::vector<double> norms;
};
[[nodiscard]] RowNorms row_norms_up(const double* rows, const double* centre, std::size_t count,
                                    std::size_t d);

} // namespace kvproof
