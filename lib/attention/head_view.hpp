#pragma once

#include "lib/attention/exact_layer.hpp"
#include "lib/attention/residuals.hpp"
#include "lib/attention/two_stage.hpp"
#include "lib/portable/error_bound.hpp"

#include <span>
#include <vector>

namespace kvproof {

/// One query head of an answered call beside the full-precision layer: both logits and both softmaxes. The
/// reader's logits are taken as the numbers they are, alpha^ as their exact softmax; z = q.k/sqrt(d_h) is
/// that of the stored file.
class HeadView {
public:
    HeadView(const ExactLayer& layer, const TwoStageCall& call, const ValueResiduals& residuals,
             std::size_t query_head, std::span<const double> query);

    std::size_t head;
    std::size_t kv_head;
    std::size_t dim;
    std::size_t tokens;
    double query_norm;                     ///< ||q|| from above
    const Softmax& reader;                 ///< alpha^
    std::span<const double> reader_logits; ///< z^
    std::vector<double> change;            ///< Delta = z - z^, computed
    double change_radius = 0;              ///< each is known to this
    double largest_change = 0;             ///< max |Delta|
    Softmax exact;                         ///< alpha
    const ValueResiduals& values;

    /// v_j as stored.
    [[nodiscard]] const double* value(std::size_t j) const { return values_ + j * dim; }
    /// An upper bound of ||v_j||.
    [[nodiscard]] const double& value_norm(std::size_t j) const { return value_norms_[j]; }

private:
    const double* values_;
    const double* value_norms_;
};

/// x x from above.
[[nodiscard]] constexpr double square_up(double x) {
    return mul_up(x, x);
}

} // namespace kvproof
