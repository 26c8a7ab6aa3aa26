#pragma once
// The error that certificates bound, enclosed: o from the stored doubles with an exact softmax in MPFR, o^ as
// the reader returned it. And the certificates' figures once more, from the formulas, in long double with
// Eigen.

#include "lib/attention/certificate.hpp"
#include "lib/exact/interval.hpp"
#include "tests/attention/reader_case.hpp"

#include <Eigen/Eigenvalues>

#include <span>

namespace kvproof::test {

inline constexpr Bits truth_bits = 256;

inline Interval real(double x) {
    return Interval::from_double(x);
}

inline Interval inner_product(std::span<const double> x, std::span<const double> y) {
    Interval sum(2);
    for (std::size_t c = 0; c < x.size(); ++c)
        sum = add(sum, mul(real(x[c]), real(y[c]), truth_bits), truth_bits);
    return sum;
}

/// softmax(q.k_j / sqrt(d)) over the first T tokens.
inline std::vector<Interval> true_attention(const ReaderCase& input, std::size_t h, std::size_t tokens) {
    const std::size_t d = input.dim();
    const auto g = input.layer.shape.kv_head_of(static_cast<int>(h));
    const Interval root = sqrt(real(static_cast<double>(d)), truth_bits);
    std::vector<Interval> terms;
    Interval most = Interval::undefined();
    for (std::size_t j = 0; j < tokens; ++j) {
        const auto key = input.layer.key(g, static_cast<int>(j));
        terms.push_back(
            div(inner_product(std::span(input.queries).subspan(h * d, d), key), root, truth_bits));
        most = j == 0 ? terms[0] : max(most, terms[j]);
    }
    const Interval shift = midpoint(most, truth_bits); // any number would do
    Interval mass(2);
    for (Interval& term : terms) {
        term = exp(sub(term, shift, truth_bits), truth_bits);
        mass = add(mass, term, truth_bits);
    }
    for (Interval& term : terms) term = div(term, mass, truth_bits);
    return terms;
}

/// ||o - o^||^2 of query head h.
inline Interval true_error(const ReaderCase& input, std::size_t h, std::size_t tokens,
                           std::span<const double> returned) {
    const auto g = input.layer.shape.kv_head_of(static_cast<int>(h));
    const std::vector<Interval> attention = true_attention(input, h, tokens);
    Interval error(2);
    for (std::size_t c = 0; c < input.dim(); ++c) {
        Interval o(2);
        for (std::size_t j = 0; j < tokens; ++j)
            o = add(o, mul(attention[j], real(input.layer.value(g, static_cast<int>(j))[c]), truth_bits),
                    truth_bits);
        error = add(error, sqr(sub(o, real(returned[c]), truth_bits), truth_bits), truth_bits);
    }
    return error;
}

/// Whether a double is an upper bound of all that the enclosure holds.
inline bool covers(double bound, const Interval& truth) {
    return mpfr_cmp_d(truth.upper(), bound) <= 0;
}

/// A point near the truth, for what is compared with a tolerance anyway.
inline long double near_value(const Interval& truth) {
    return mpfr_get_ld(truth.upper(), MPFR_RNDN);
}

using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// The largest eigenvalue of a symmetric matrix.
inline long double top(const Matrix& m) {
    if (m.size() == 0) return 0;
    return std::max(
        0.0L, Eigen::SelfAdjointEigenSolver<Matrix>(m, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff());
}

/// kappa of the items that are the rows of this matrix: their Gram matrix, normalised to a unit diagonal.
inline long double top_of_normalised(Matrix items) {
    for (Eigen::Index i = 0; i < items.rows(); ++i) {
        const long double norm = items.row(i).norm();
        if (norm > 0) items.row(i) /= norm;
    }
    return top(items * items.transpose());
}

/// Certificates by their formulas: ReadKV E.3.3 and the sharp one. Any part may be left out, to show that it
/// is needed.
struct Formulas {
    long double a_k = 0, a_v = 0, s_k = 0, s_v = 0, kappa_k = 0, kappa_v = 0, centre_norm_sq = 0;
    long double spread = 0;                                   ///< lambda_max(Cov_m V), m = (alpha + alpha^)/2
    long double discrimination = 0;                           ///< sum (alpha - alpha^)^2 / m
    long double logit_variance = 0;                           ///< Var_m(Delta)
    long double spread_of_reader = 0, variance_of_reader = 0; ///< under alpha^ alone
    long double transport = 0;                                ///< sum |alpha - alpha^| ||v - c||
    long double value_term = 0; ///< the least of the three bounds of ||E_V' alpha^||
    long double attention_term_sq = 0, value_term_sq = 0; ///< what the two terms are
    long double logit_error_sq = 0;

    [[nodiscard]] long double bound() const { return centre_norm_sq * kappa_k * a_k / 2 + 2 * kappa_v * a_v; }
    /// What bounds ||V'(alpha - alpha^)||.
    [[nodiscard]] long double attention() const {
        return std::min(std::sqrt(spread * discrimination), transport);
    }
    [[nodiscard]] long double sharp() const {
        return (attention() + value_term) * (attention() + value_term);
    }
};

inline std::vector<long double> softmax_of(const std::vector<long double>& logits) {
    const long double most = *std::max_element(logits.begin(), logits.end());
    std::vector<long double> out;
    long double mass = 0;
    for (const long double logit : logits) mass += std::exp(logit - most);
    for (const long double logit : logits) out.push_back(std::exp(logit - most) / mass);
    return out;
}

/// All of it for query head h of an answered call.
inline Formulas formulas_of(const ReaderCase& input, const TwoStageReader& reader, const TwoStageCall& call,
                            std::size_t h, Centre centre) {
    const auto tokens = static_cast<std::size_t>(call.tokens);
    const std::size_t d = input.dim();
    const auto g = static_cast<std::size_t>(input.layer.shape.kv_head_of(static_cast<int>(h)));
    const auto n = static_cast<Eigen::Index>(tokens);
    const auto m = static_cast<Eigen::Index>(d);
    Vector turned_keys = input.layer.k;
    input.keys.apply_rows(turned_keys);
    Vector turned_values = input.layer.v;
    input.values.apply_rows(turned_values);
    Matrix keys(n, m);   // e^K
    Matrix values(n, m); // e^V
    Matrix raw(n, m);    // v as stored
    std::vector<long double> exact(tokens);
    std::vector<long double> approximate(tokens);
    for (std::size_t j = 0; j < tokens; ++j) {
        approximate[j] = call.logits[h * tokens + j];
        for (std::size_t c = 0; c < d; ++c) {
            const std::size_t at = (g * input.tokens() + j) * d + c;
            const auto row = static_cast<Eigen::Index>(j);
            const auto column = static_cast<Eigen::Index>(c);
            keys(row, column) =
                static_cast<long double>(turned_keys[at]) - call.keys[(g * d + c) * tokens + j];
            values(row, column) =
                static_cast<long double>(turned_values[at]) - call.values[(g * tokens + j) * d + c];
            raw(row, column) = input.layer.v[at];
            exact[j] += static_cast<long double>(input.queries[h * d + c]) * input.layer.k[at];
        }
        exact[j] /= std::sqrt(static_cast<long double>(d));
    }
    const std::vector<long double> alpha = softmax_of(exact);
    const std::vector<long double> read = softmax_of(approximate);
    Formulas out;
    for (std::size_t c = 0; c < d; ++c) {
        const long double query = call.queries[h * d + c];
        out.a_k += query * query * keys.col(static_cast<Eigen::Index>(c)).squaredNorm() /
                   static_cast<long double>(d);
        const long double scaled = query * input.calibration.keys.scale[g * d + c];
        out.s_k += scaled * scaled * input.code.distortion[call.key_schedule.depths[g * d + c]] *
                   static_cast<long double>(tokens) / static_cast<long double>(d);
    }
    Eigen::Matrix<long double, Eigen::Dynamic, 1> weight(n);
    Eigen::Matrix<long double, Eigen::Dynamic, 1> weight_read(n);
    for (std::size_t j = 0; j < tokens; ++j) {
        const auto row = static_cast<Eigen::Index>(j);
        out.a_v += read[j] * read[j] * values.row(row).squaredNorm();
        out.s_v += read[j] * read[j] * input.code.distortion[call.value_schedule.depths[g * tokens + j]] *
                   reader.value_scale(static_cast<int>(g));
        weight(row) = alpha[j];
        weight_read(row) = read[j];
        out.logit_error_sq += (exact[j] - approximate[j]) * (exact[j] - approximate[j]);
    }
    out.kappa_k = out.a_k == 0 ? 0 : top_of_normalised(keys.transpose());
    out.kappa_v = out.a_v == 0 ? 0 : top_of_normalised(values);
    Matrix about = raw;
    if (centre == Centre::mean) about.rowwise() -= raw.colwise().mean();
    out.centre_norm_sq = top(about.transpose() * about);

    const auto moments = [&](const auto& w) {
        Matrix moved = raw;
        moved.rowwise() -= (w.transpose() * raw).eval().row(0);
        long double e = 0;
        for (std::size_t j = 0; j < tokens; ++j)
            e += w(static_cast<Eigen::Index>(j)) * (exact[j] - approximate[j]);
        long double s = 0;
        for (std::size_t j = 0; j < tokens; ++j)
            s += w(static_cast<Eigen::Index>(j)) * (exact[j] - approximate[j] - e) *
                 (exact[j] - approximate[j] - e);
        return std::pair(top(moved.transpose() * w.asDiagonal() * moved), s);
    };
    const auto both = ((weight + weight_read) / 2).eval();
    std::tie(out.spread, out.logit_variance) = moments(both);
    std::tie(out.spread_of_reader, out.variance_of_reader) = moments(weight_read);
    for (Eigen::Index j = 0; j < n; ++j)
        if (both(j) > 0)
            out.discrimination += (weight(j) - weight_read(j)) * (weight(j) - weight_read(j)) / both(j);
    Matrix moved = raw;
    moved.rowwise() -= (both.transpose() * raw).eval().row(0);
    long double summed = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
        out.transport += std::abs(weight(j) - weight_read(j)) * moved.row(j).norm();
        summed += weight_read(j) * values.row(j).norm();
    }
    out.value_term = std::min({std::sqrt(out.kappa_v * out.a_v), summed,
                               std::sqrt(top(values.transpose() * weight_read.asDiagonal() * values))});
    out.attention_term_sq = (raw.transpose() * (weight - weight_read)).squaredNorm();
    out.value_term_sq = (values.transpose() * weight_read).squaredNorm();
    return out;
}

} // namespace kvproof::test
