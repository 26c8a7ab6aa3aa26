#include "lib/attention/certificate.hpp"

#include "lib/attention/kappa.hpp"
#include "lib/attention/path_bound.hpp"
#include "lib/attention/residuals.hpp"
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

double squared(double x) {
    return mul_up(x, x);
}

/// A ratio with the zero conventions of Proposition 12: 0 for A = 0, infinite for S = 0 < A.
double gamma_of(double a, double s) {
    return a == 0 ? 0 : s == 0 ? infinity : a / s;
}

/// A product in which 0 beats infinity: a term with A = 0 or V = 1c' is 0.
double term(std::initializer_list<double> factors) {
    double out = 1;
    for (const double factor : factors) out = mul_up(out, factor);
    return out;
}

/// The sum of the depths in the pool of KV head g, and the increments it might spend.
std::pair<std::uint64_t, std::uint64_t> spent_in(const Schedule& schedule, std::size_t g, std::size_t pools) {
    const std::size_t size = schedule.depths.size() / pools;
    const auto first = schedule.depths.begin() + static_cast<std::ptrdiff_t>(pools == 1 ? 0 : g * size);
    return {std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), std::uint64_t{0}),
            schedule.requested / pools};
}

} // namespace

/// What the query heads of one KV head share.
struct Certifier::Group {
    std::size_t index = 0;
    KeyResiduals keys;
    ValueResiduals values;
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
        Group group;
        group.index = g;
        group.keys = key_residuals(exact_, call, g, options_.rigorous);
        group.values = value_residuals(exact_, call, g, options_.rigorous);
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
            const std::size_t pools = options_.pool_per_head ? spreads_.size() : 1;
            std::tie(row.key_bits, row.key_budget) = spent_in(call.key_schedule, g, pools);
            std::tie(row.value_bits, row.value_budget) = spent_in(call.value_schedule, g, pools);
            certify_head(h, queries.subspan(h * d, d), call, group, std::span(returned).subspan(h * d, d),
                         row);
            rows.push_back(row);
        }
    }
}

void Certifier::certify_head(std::size_t h, std::span<const double> query, const TwoStageCall& call,
                             const Group& group, std::span<const double> returned, Certified& row) const {
    const auto d = static_cast<std::size_t>(exact_.shape.dim);
    const auto tokens = static_cast<std::size_t>(call.tokens);
    const auto all = static_cast<std::size_t>(exact_.shape.tokens);
    const std::size_t g = group.index;
    const bool rigorous = options_.rigorous;
    const auto radius = [rigorous](double value) { return rigorous ? value : 0; };
    const double root = std::sqrt(static_cast<double>(d));
    const double query_norm = norm_up(query.data(), d);
    const double* const norms = exact_.value_norms.data() + g * all;

    // ---- logits: z from the file, z^ as the reader computed it; its softmax is the reader's attention
    std::vector<double> z(tokens);
    for (std::size_t c = 0; c < d; ++c)
        add_scaled(z.data(), query[c], exact_.raw_keys.data() + (g * d + c) * all, tokens);
    double largest_key = 0;
    for (std::size_t j = 0; j < tokens; ++j)
        largest_key = std::max(largest_key, exact_.key_norms[g * all + j]);
    for (double& logit : z) logit /= root;
    // d products and sums, a root and a division
    const double z_radius =
        radius(div_up(mul_up(gamma_up(d + 3), mul_up(query_norm, largest_key)), down(root)));
    const Softmax exact = softmax(z, z_radius);
    const Softmax& reader = call.attention[h];
    const std::span reader_logits = std::span(call.logits).subspan(h * tokens, tokens);
    std::vector<double> change(tokens);
    subtract(change.data(), z.data(), reader_logits.data(), tokens);
    double largest_change = 0;
    for (const double delta : change) largest_change = std::max(largest_change, std::abs(delta));
    const double change_radius = radius(add_up(z_radius, mul_up(unit_roundoff, largest_change)));
    row.logit_error_sq = squared(
        add_up(norm_up(change.data(), tokens), mul_up(change_radius, sqrt_up(static_cast<double>(tokens)))));

    // ---- A, S, gamma
    const auto key_at = [&](std::size_t c) { return g * d + c; };
    const double* const transformed = call.queries.data() + h * d;
    const NestedCode& code = reader_.layer().code();
    for (std::size_t c = 0; c < d; ++c) {
        const double weight = add_up(std::abs(transformed[c]), radius(mul_up(exact_.key_error, query_norm)));
        row.a_k = add_up(row.a_k, mul_up(squared(weight), squared(group.keys.norms[c])));
        const double scaled = transformed[c] * reader_.layer().calibration().keys.scale[key_at(c)];
        row.s_k += scaled * scaled * code.distortion[call.key_schedule.depths[key_at(c)]];
    }
    row.a_k = div_up(row.a_k, static_cast<double>(d));
    row.s_k *= static_cast<double>(tokens) / static_cast<double>(d);
    const double inflation = add_up(1, radius(mul_up(2, reader.relative)));
    const double underflow = radius(reader.absolute);
    for (std::size_t j = 0; j < tokens; ++j) {
        const double weight = add_up(mul_up(reader.probabilities[j], inflation), underflow);
        row.a_v = add_up(row.a_v, mul_up(squared(weight), squared(group.values.norms[j])));
        const double p = reader.probabilities[j];
        row.s_v += p * p * code.distortion[call.value_schedule.depths[g * tokens + j]];
    }
    row.s_v *= reader_.value_scale(static_cast<int>(g));
    row.gamma_k = gamma_of(row.a_k, row.s_k);
    row.gamma_v = gamma_of(row.a_v, row.s_v);
    row.kappa_k = row.a_k == 0 ? 0 : group.kappa_k;
    row.kappa_v = row.a_v == 0 ? 0 : group.kappa_v;
    row.centre_norm_sq = group.centre_norm_sq;

    // ---- what the reader's own arithmetic adds to its output and to its logits
    double weighted = 0; // sum alpha^_j ||v^_j||
    double every = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
        weighted = add_up(weighted, mul_up(reader.probabilities[j], group.values.reconstructed_norms[j]));
        every = add_up(every, group.values.reconstructed_norms[j]);
    }
    const double slack = radius(add_up(mul_up(add_up(add_up(gamma_up(tokens + 2), mul_up(2, reader.relative)),
                                                     mul_up(2, exact_.value_error)),
                                              weighted),
                                       mul_up(reader.absolute, every)));
    const double computed_off = // per logit: the rounded query, d products and sums, the root, the division
        radius(div_up(mul_up(mul_up(add_up(mul_up(2, exact_.key_error), gamma_up(d + 3)), query_norm),
                             group.keys.largest_reconstructed_norm),
                      down(root)));

    // ---- Proposition 12
    const double key_bound = row.s_k == 0 && row.a_k > 0 ? infinity : mul_up(row.kappa_k, row.a_k);
    const double value_bound = row.s_v == 0 && row.a_v > 0 ? infinity : mul_up(row.kappa_v, row.a_v);
    const double logit_bound =
        add_up(sqrt_up(key_bound), mul_up(computed_off, sqrt_up(static_cast<double>(tokens))));
    const double plain =
        add_up(term({0.5, row.centre_norm_sq, squared(logit_bound)}), mul_up(2, value_bound));
    row.bound = squared(add_up(sqrt_up(plain), slack));

    // ---- the sharp certificate
    std::vector<double> centre(d); // of the values, and e of the logits' change, under (alpha + alpha^)/2
    double middle = 0;
    std::vector<double> mean_weights(tokens);
    for (std::size_t j = 0; j < tokens; ++j) {
        mean_weights[j] = 0.5 * (exact.probabilities[j] + reader.probabilities[j]);
        add_scaled(centre.data(), mean_weights[j], exact_.raw_values.data() + (g * all + j) * d, d);
        middle += mean_weights[j] * change[j];
    }
    std::vector<double> centred(tokens * d);
    std::vector<double> squares(tokens);
    double transport = 0;
    double spread_start = 0;
    double spread_end = 0;
    const double exact_inflation = add_up(1, radius(mul_up(2, exact.relative)));
    for (std::size_t j = 0; j < tokens; ++j) {
        double* const w = centred.data() + j * d;
        subtract(w, exact_.raw_values.data() + (g * all + j) * d, centre.data(), d);
        const double length = mul_up(norm_up(w, d), add_up(1, radius(2 * unit_roundoff)));
        squares[j] = squared(length);
        const double off =
            squared(add_up(std::abs(change[j] - middle),
                           radius(add_up(change_radius, mul_up(2 * unit_roundoff,
                                                               add_up(std::abs(middle), largest_change))))));
        const double a = add_up(mul_up(exact.probabilities[j], exact_inflation), radius(exact.absolute));
        const double b = add_up(mul_up(reader.probabilities[j], inflation), underflow);
        spread_end = add_up(spread_end, mul_up(a, off));
        spread_start = add_up(spread_start, mul_up(b, off));
        const double moved = add_up(
            up(std::abs(exact.probabilities[j] - reader.probabilities[j])),
            radius(add_up(add_up(mul_up(mul_up(2, exact.relative), a), mul_up(mul_up(2, reader.relative), b)),
                          add_up(exact.absolute, reader.absolute))));
        transport = add_up(transport, mul_up(moved, length));
    }
    const double spread =
        0.5 * add_up(spread_up(centred, d, exact, squares), spread_up(centred, d, reader, squares));
    const double wander = 0.5 * add_up(spread_start, spread_end);
    row.inverse_overlap = inverse_least_overlap({reader_logits, change, 0, change_radius, reader, exact});
    const double along = mul_up(row.inverse_overlap, sqrt_up(mul_up(spread, wander)));
    row.by_transport = transport < along;
    const double attention_bound = std::min(along, transport);
    const double value_side = sqrt_up(mul_up(row.kappa_v, row.a_v));
    row.path_term_sq = squared(attention_bound);
    row.value_bound_sq = squared(value_side);
    row.sharp_bound = squared(add_up(add_up(attention_bound, value_side), slack));

    // ---- the error itself
    std::vector<double> output(d);
    std::vector<double> moved(d);
    std::vector<double> residual(d);
    double exact_weighted = 0;
    double exact_every = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
        const double* const value = exact_.raw_values.data() + (g * all + j) * d;
        add_scaled(output.data(), exact.probabilities[j], value, d);
        add_scaled(moved.data(), exact.probabilities[j] - reader.probabilities[j], value, d);
        add_scaled(residual.data(), reader.probabilities[j], group.values.residuals.data() + j * d, d);
        exact_weighted = add_up(exact_weighted, mul_up(exact.probabilities[j], norms[j]));
        exact_every = add_up(exact_every, norms[j]);
    }
    const double output_off =
        radius(add_up(mul_up(add_up(gamma_up(tokens + 2), mul_up(2, exact.relative)), exact_weighted),
                      mul_up(exact.absolute, exact_every)));
    std::vector<double> error(d);
    subtract(error.data(), output.data(), returned.data(), d);
    row.error_sq =
        squared(mul_up(add_up(norm_up(error.data(), d), output_off), add_up(1, radius(2 * unit_roundoff))));
    row.output_sq = dot_product(output.data(), output.data(), d);
    row.attention_term_sq = dot_product(moved.data(), moved.data(), d);
    row.value_term_sq = dot_product(residual.data(), residual.data(), d);
}

} // namespace kvproof
