#include "lib/attention/certificate.hpp"

#include "lib/attention/kappa.hpp"
#include "lib/attention/output_error.hpp"
#include "lib/attention/sharp_bound.hpp"
#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace kvproof {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A ratio with the zero conventions of Proposition 12: 0 for A = 0, infinite for S = 0 < A.
double gamma_of(double a, double s) {
    return a == 0 ? 0 : s == 0 ? infinity : a / s;
}

/// The sum of the depths in the pool of KV head g, and the increments it might spend.
std::pair<std::uint64_t, std::uint64_t> spent_in(const Schedule& schedule, std::size_t g, std::size_t pools) {
    const std::size_t size = schedule.depths.size() / pools;
    const auto first = schedule.depths.begin() + static_cast<std::ptrdiff_t>(pools == 1 ? 0 : g * size);
    return {std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), std::uint64_t{0}),
            schedule.requested / pools};
}

/// sum_j (p_j norm_j)^2 for weights p known to Softmax's bounds.
double weighted_energy_up(const Softmax& p, const std::vector<double>& norms) {
    if (std::all_of(norms.begin(), norms.end(), [](double norm) { return norm == 0; })) return 0;
    const double share = 1 + mul_up(2, p.relative);
    const double constant = 2 * p.absolute;
    std::vector<double> lengths(norms.size());
    for (std::size_t j = 0; j < norms.size(); ++j)
        lengths[j] = (p.probabilities[j] * share + constant) * norms[j];
    const double sum = dot_product(lengths.data(), lengths.data(), lengths.size());
    // five roundings a factor, the product's, those of the sum
    const double grown = add_up(1, gamma_up(2 * norms.size() + 24));
    return add_up(mul_up(sum, grown), static_cast<double>(norms.size()) * 0x1p-1060);
}

} // namespace

/// What the query heads of one KV head share.
struct Certifier::Group {
    const KeyResiduals& keys;
    const ValueResiduals& values;
    double kappa_k = 0;
    double kappa_v = 0;
    double centre_norm_sq = 0;
};

Certifier::Certifier(const ExactLayer& exact, const TwoStageReader& reader, const CertificateOptions& options)
    : exact_(exact), reader_(reader), options_(options) {
    for (int g = 0; g < exact.shape.kv_heads; ++g) spreads_.emplace_back(exact, g, options.centre);
}

void Certifier::certify(std::span<const double> queries, const TwoStageCall& call,
                        std::vector<Certified>& rows) {
    const auto d = static_cast<std::size_t>(exact_.shape.dim);
    const auto sharing = static_cast<std::size_t>(exact_.shape.query_heads / exact_.shape.kv_heads);
    const std::vector<double> returned = reader_.outputs(call);
    for (std::size_t g = 0; g < spreads_.size(); ++g) {
        Group group{keys_, values_};
        key_residuals(exact_, call, g, keys_);
        value_residuals(exact_, call, g, values_);
        const auto tokens = static_cast<std::size_t>(call.tokens);
        // the smaller eigenproblem of the two sides is kappa's own business
        group.kappa_k =
            kappa_of_columns(MatrixView(group.keys.residuals, d, tokens).transposed(), group.keys.radii)
                .upper;
        group.kappa_v =
            kappa_of_rows(MatrixView(group.values.residuals, tokens, d), group.values.radii).upper;
        group.centre_norm_sq = spreads_[g].up_to(call.tokens).upper;
        for (std::size_t h = g * sharing; h < (g + 1) * sharing; ++h) {
            Certified row;
            row.head = static_cast<int>(h);
            row.certified = true;
            const std::size_t pools = options_.pool_per_head ? spreads_.size() : 1;
            std::tie(row.key_bits, row.key_budget) = spent_in(call.key_schedule, g, pools);
            std::tie(row.value_bits, row.value_budget) = spent_in(call.value_schedule, g, pools);
            const HeadView view(exact_, call, group.values, h, queries.subspan(h * d, d));
            certify_head(view, call, group, std::span(returned).subspan(h * d, d), row);
            rows.push_back(row);
        }
    }
}

void Certifier::certify_head(const HeadView& view, const TwoStageCall& call, const Group& group,
                             std::span<const double> returned, Certified& row) const {
    const std::size_t d = view.dim;
    const std::size_t g = view.kv_head;
    const double tokens = static_cast<double>(view.tokens);
    const double root = std::sqrt(static_cast<double>(d));
    row.logit_error_sq = square_up(
        add_up(norm_up(view.change.data(), view.tokens), mul_up(view.change_radius, sqrt_up(tokens))));

    // A_K, A_V and the objectives that predict them
    const double* const query = call.queries.data() + view.head * d;
    const NestedCode& code = reader_.layer().code();
    const std::vector<double>& scales = reader_.layer().calibration().keys.scale;
    for (std::size_t c = 0; c < d; ++c) {
        const double weight = add_up(std::abs(query[c]), mul_up(exact_.key_error, view.query_norm));
        row.a_k = add_up(row.a_k, mul_up(square_up(weight), square_up(group.keys.norms[c])));
        const double scaled = query[c] * scales[g * d + c];
        row.s_k += scaled * scaled * code.distortion[call.key_schedule.depths[g * d + c]];
    }
    row.a_k = div_up(row.a_k, static_cast<double>(d));
    row.s_k *= tokens / static_cast<double>(d);
    for (std::size_t j = 0; j < view.tokens; ++j) {
        const double p = view.reader.probabilities[j];
        row.s_v += p * p * code.distortion[call.value_schedule.depths[g * view.tokens + j]];
    }
    row.a_v = weighted_energy_up(view.reader, group.values.norms);
    row.s_v *= reader_.value_scale(static_cast<int>(g));
    row.gamma_k = gamma_of(row.a_k, row.s_k);
    row.gamma_v = gamma_of(row.a_v, row.s_v);
    row.kappa_k = row.a_k == 0 ? 0 : group.kappa_k;
    row.kappa_v = row.a_v == 0 ? 0 : group.kappa_v;
    row.centre_norm_sq = group.centre_norm_sq;

    const OutputError error = output_error(view, returned, exact_.value_error);
    row.error_sq = error.error_sq;
    row.output_sq = error.output_sq;
    row.attention_term_sq = error.attention_term_sq;
    row.value_term_sq = error.value_term_sq;

    // Proposition 12 bounds the error of exact logits of the reconstructed keys; the reader's are off by the
    // rounded query, d products and sums, the root and the division.
    const double computing =
        div_up(mul_up(mul_up(add_up(mul_up(2, exact_.key_error), gamma_up(d + 3)), view.query_norm),
                      group.keys.largest_reconstructed_norm),
               down(root));
    const double key_term = row.s_k == 0 && row.a_k > 0 ? infinity : mul_up(row.kappa_k, row.a_k);
    const double value_term = row.s_v == 0 && row.a_v > 0 ? infinity : mul_up(row.kappa_v, row.a_v);
    const double logits = square_up(add_up(sqrt_up(key_term), mul_up(computing, sqrt_up(tokens))));
    const double plain = add_up(mul_up(mul_up(0.5, row.centre_norm_sq), logits), mul_up(2, value_term));
    row.bound = square_up(add_up(sqrt_up(plain), error.allowance));

    const SharpBound sharp = sharp_bound(view, error.centre, mul_up(row.kappa_v, row.a_v));
    row.sharp_bound = square_up(add_up(add_up(sharp.attention, sharp.value), error.allowance));
    row.attention_bound_sq = square_up(sharp.attention);
    row.value_bound_sq = square_up(sharp.value);
    row.discrimination = sharp.discrimination;
    row.logit_variance = sharp.logit_variance;
    row.by_transport = sharp.by_transport;
}

} // namespace kvproof
