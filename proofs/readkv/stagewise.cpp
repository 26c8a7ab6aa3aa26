#include "proofs/readkv/stagewise.hpp"

#include "proofs/outcome.hpp"
#include "proofs/readkv/synthetic_case.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kvproof {
namespace {

/// The largest refinements of a pool of items, as many as the budget allows, in falling order.
std::vector<Rational> most_valuable(std::span<const double> weights, const std::vector<Rational>& gains,
                                    const Integer& budget) {
    std::vector<Rational> all;
    for (const double weight : weights)
        for (const Rational& gain : gains) all.push_back(rational_from(weight) * gain);
    std::ranges::sort(all, std::greater<>());
    if (budget < Integer(all.size())) all.resize(static_cast<std::size_t>(budget));
    return all;
}

Rational sum_of(const std::vector<Rational>& values) {
    return std::accumulate(values.begin(), values.end(), Rational(0));
}

/// Whether one stage's depths collect the optimum of each pool. Zero weights add nothing.
bool is_optimal(const std::vector<double>& weights, const Schedule& schedule, const Rational& rate,
                std::size_t pools, const std::vector<double>& code_gains) {
    std::vector<Rational> gains;
    for (const double gain : code_gains) gains.push_back(rational_from(gain));
    const std::size_t size = weights.size() / pools;
    const Integer budget = floor(Rational(rate * Rational(size)));
    for (std::size_t pool = 0; pool < pools; ++pool) {
        const std::span<const double> items = std::span(weights).subspan(pool * size, size);
        Rational collected = 0;
        Integer spent = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::uint8_t depth = schedule.depths[pool * size + i];
            spent += depth;
            for (std::size_t t = 0; t < depth; ++t) collected += rational_from(items[i]) * gains[t];
        }
        if (spent > budget || collected != sum_of(most_valuable(items, gains, budget))) return false;
    }
    return true;
}

/// A value with "zero times anything is zero".
double times(double beta, double s) {
    return s == 0 && std::isfinite(beta) ? 0 : beta * s;
}

void check_sum(const std::vector<Certified>& rows, const Combine& combine, const std::string& where,
               Outcome& outcome) {
    std::vector<double> key_betas;
    std::vector<double> value_betas;
    double error = 0;
    double output = 0;
    double key_sum = 0;
    double value_sum = 0;
    double rounding = 0;
    for (const Certified& row : rows) {
        const double key_beta =
            row.centre_norm_sq == 0 ? 0 : row.centre_norm_sq * row.kappa_k * row.gamma_k / 2;
        const double value_beta = 2 * row.kappa_v * row.gamma_v;
        if (!std::isfinite(row.bound)) return; // S = 0 < A: an infinite bound, and a valid one
        key_betas.push_back(key_beta);
        value_betas.push_back(value_beta);
        error += row.error_sq;
        output += row.output_sq;
        key_sum += row.s_k;
        value_sum += row.s_v;
        rounding += std::max(0.0, row.bound - times(key_beta, row.s_k) - times(value_beta, row.s_v));
    }
    const double bound =
        times(combine(key_betas), key_sum) + times(combine(value_betas), value_sum) + rounding;
    if (error > bound || error > 0x1p-60 * output)
        outcome.hold(rational_from(error), rational_from(bound), where);
}

} // namespace

double largest_of(const std::vector<double>& betas) {
    return *std::ranges::max_element(betas);
}

Decision stages_are_optimal(const Sample& sample, const MakePolicy& make_policy, const Combine& combine) {
    Outcome outcome;
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        const SyntheticCase drawn = synthetic_case(sample, i, {.dim = 16, .tokens = 13});
        ReaderRun run(drawn.layer, drawn.calibration, drawn.setup, make_policy);
        const TwoStageCall& call = run.run(drawn.layer.q, drawn.visible);
        const auto heads = static_cast<std::size_t>(drawn.layer.shape.kv_heads);
        const std::size_t pools = drawn.setup.per_head ? heads : 1;
        outcome.count();
        const std::vector<double>& gains = drawn.setup.code.gain;
        if (!is_optimal(call.key_weights, call.key_schedule, drawn.setup.rates.keys, pools, gains))
            outcome.fail("the key stage is not optimal", drawn.where);
        if (!is_optimal(call.value_weights, call.value_schedule, drawn.setup.rates.values, pools, gains))
            outcome.fail("the value stage is not optimal", drawn.where);
        const ExactLayer exact(drawn.layer, drawn.setup.keys, drawn.setup.values);
        Certifier certifier(exact, run.reader(), {.pool_per_head = drawn.setup.per_head});
        std::vector<Certified> rows;
        certifier.certify(drawn.layer.q, call, rows);
        check_sum(rows, combine, drawn.where, outcome);
    }
    return outcome.decision();
}

} // namespace kvproof
