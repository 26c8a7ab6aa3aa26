#pragma once

#include "sim/montecarlo/weight_change.hpp"

namespace kvproof {

/// Standard deviations of white noise that factor: sigma^K_ic = key_token[i] key_channel[c], the values
/// likewise. No noise exceeds kappa times its own deviation.
struct NoiseSizes {
    std::vector<double> key_token;     ///< [>= tokens]
    std::vector<double> key_channel;   ///< [d_h]
    std::vector<double> value_token;   ///< [>= tokens]
    std::vector<double> value_channel; ///< [d_h]
    double kappa = 1;
};

/// |R| <= (spread s + cube A_0^3) omega + fourth D_o A_0^4, with the constants that docs/aatc-theorem1.md
/// proves and with those of the printed steps.
struct RemainderConstants {
    double spread;
    double cube;
    double fourth;
};
inline constexpr RemainderConstants sharp_constants{27.0 / 100, 5.0 / 6, 11.0 / 12};
inline constexpr RemainderConstants printed_constants{4, 156, 95};

/// Theorem 1's terms for one decode step, and what bounds R = D - D_K - D_V.
struct DistortionTerms {
    double key = 0;         ///< D_K
    double value = 0;       ///< D_V
    double reach = 0;       ///< A_0 = kappa ||q||_1 sigma_K
    double spread = 0;      ///< s = ||q||^2 sigma_K^2
    double omega = 0;       ///< sigma_V^2 ||W_O||_F^2
    double farthest = 0;    ///< D_o
    double bound = 0;       ///< of |R|, with sharp_constants
    double printed = 0;     ///< with printed_constants
    double token_omega = 0; ///< E||delta v_i W_O||^2 = token_omega value_token[i]^2

    [[nodiscard]] double main() const { return key + value; }
};

[[nodiscard]] DistortionTerms distortion_terms(const DecodeStep& step, const HeadOutput& head,
                                               const NoiseSizes& sizes);

/// A_0 and s alone, for a query that sees `tokens` tokens.
struct Reach {
    double reach;
    double spread;
};
[[nodiscard]] Reach reach_of(const std::vector<double>& query, const NoiseSizes& sizes, std::size_t tokens);

/// A sample of R: for key noise that moves the logits by alpha_i, the mean over its sign (alpha and -alpha
/// are as likely) and over all value noise. E[key + value] = R exactly, and for |alpha_i| <= A_0
///   |key| <= 11/12 D_o A_0^4 and -1/2 A_0^2 omega <= value <= A_0^2 omega.
///
/// Key: with X = sum a_i x_i u_i and Z+- = sum rest_i u_i it is <X, Z+ - Z-> + (||Z+||^2 + ||Z-||^2)/2; in
/// Z+ - Z- the second order cancels, which leaves at most 2 (A_0^3/3) sqrt(D_o) (Lemma 1), ||X|| <= A_0
/// sqrt(D_o), ||Z|| <= A_0^2/2 sqrt(D_o). Value: the mean over the sign of sum (2 a_i delta a_i + delta
/// a_i^2) omega_i, where a_i x_i cancels; rest_i sums to zero and sum |rest_i| <= A_0^2/2, so that the first
/// part is at most A_0^2/2 omega; sum delta a_i^2 <= sum |delta a_i| max |delta a_i| <= A_0 A_0/2.
struct RemainderSample {
    double key = 0;
    double value = 0;

    [[nodiscard]] double total() const { return key + value; }
};

[[nodiscard]] RemainderSample remainder_sample(const DecodeStep& step, const NoiseSizes& sizes,
                                               const DistortionTerms& terms, const WeightChange& plus,
                                               const WeightChange& minus);

/// How far key / (D_o A_0^4) and value / (A_0^2 omega), as computed, may be outside of these ranges for A_0
/// >= least_reach: sums of T and d_h terms are off by less than 8 (T + d_h + 64) 2^-53 of the sum of their
/// terms' sizes, at most 4 A_0^3 sqrt(D_o) sqrt(D_o) and more with rest_i off by that share of A_0^2
/// (weight_change.hpp).
inline constexpr double least_reach = 0x1p-20;
[[nodiscard]] double remainder_allowance(std::size_t tokens, std::size_t dim);

} // namespace kvproof
