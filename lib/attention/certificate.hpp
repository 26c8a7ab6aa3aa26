#pragma once

#include "lib/attention/exact_layer.hpp"
#include "lib/attention/head_view.hpp"
#include "lib/attention/two_stage.hpp"
#include "lib/attention/value_spread.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// The error of one query head at one position beside both certificates (ReadKV Proposition 12; the sharp one
/// of docs/sharp-certificate.md). Squared Euclidean norms over d_h. In the rigorous mode error_sq is an upper
/// bound of the true error, the outputs being those of the exact softmax over the file as stored and those
/// that the reader returned, and every other figure is rounded away from the truth.
struct Certified {
    int layer = 0;
    int head = 0;
    int position = 0;
    bool certified = false;       ///< whether the bounds are there: only with a prefix schedule
    std::uint64_t key_bits = 0;   ///< increments spent in the head's budget pool
    std::uint64_t value_bits = 0; ///< likewise
    std::uint64_t key_budget = 0; ///< increments that the pool might spend
    std::uint64_t value_budget = 0;
    double error_sq = 0;       ///< ||o - o^||^2
    double output_sq = 0;      ///< ||o||^2
    double logit_error_sq = 0; ///< ||z - z^||^2
    double a_k = 0, a_v = 0;   ///< realised diagonal energies A_K, A_V
    double s_k = 0, s_v = 0;   ///< calibrated objectives S_K, S_V
    double gamma_k = 0, gamma_v = 0;
    double kappa_k = 0, kappa_v = 0;
    double centre_norm_sq = 0; ///< ||V - 1c'||^2
    double bound = 0;          ///< 1/2 ||V - 1c'||^2 kappa_K gamma_K S_K + 2 kappa_V gamma_V S_V
    double sharp_bound = 0;

    // Where the bounds lose: each at least 1 but for rounding, 0 where there is nothing to compare.
    double attention_bound_sq = 0; ///< the sharp bound of ||V'(alpha - alpha^)||^2
    double attention_term_sq = 0;  ///< ||V'(alpha - alpha^)||^2
    double value_bound_sq = 0;     ///< the sharp bound of ||E_V' alpha^||^2
    double value_term_sq = 0;      ///< ||E_V' alpha^||^2
    double discrimination = 0;     ///< sum (alpha - alpha^)^2 / m, m = (alpha + alpha^)/2
    double logit_variance = 0;     ///< Var_m(Delta), which bounds it
    bool by_transport = false;     ///< sum_i |alpha_i - alpha^_i| ||v_i - c|| was less
};

struct CertificateOptions {
    Centre centre = Centre::mean;
    bool pool_per_head = false; ///< key_bits and value_bits are those of the KV head, not of the layer
};

/// Certifies answered calls of one layer. Keeps sums over the visible values, so calls must come in order of
/// their tokens; one for each thread.
class Certifier {
public:
    Certifier(const ExactLayer& exact, const TwoStageReader& reader, const CertificateOptions& options);

    /// One row for each query head of the call for query row `row`, whose queries as stored are [H, d_h];
    /// position and layer are the caller's to fill in. `call` is what the reader left of it.
    void certify(std::span<const double> queries, const TwoStageCall& call, std::vector<Certified>& rows);

private:
    struct Group;
    void certify_head(const HeadView& view, const TwoStageCall& call, const Group& group,
                      std::span<const double> returned, Certified& row) const;

    const ExactLayer& exact_;
    const TwoStageReader& reader_;
    CertificateOptions options_;
    std::vector<ValueSpread> spreads_;
    KeyResiduals keys_; ///< of the KV head at hand
    ValueResiduals values_;
};

} // namespace kvproof
