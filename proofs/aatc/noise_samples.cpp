// AATC, Theorem 1: samples of the remainder under white noise, as the Monte Carlo experiment takes them.

#include "proofs/aatc/noise_samples.hpp"

#include "proofs/draws.hpp"
#include "proofs/outcome.hpp"
#include "sim/montecarlo/drawn_noise.hpp"
#include "sim/montecarlo/output_remainder.hpp"

#include <cmath>

namespace kvproof {
namespace {

constexpr std::uint16_t case_stream = 160;
constexpr std::uint16_t noise_stream = 161; // and the following ones
constexpr int draws_a_case = 8;

/// One layer with one head, and the query of its last token.
class OneHead final : public CaptureSource {
public:
    OneHead(int count, int dim) {
        tokens.shape = {
            .layers = 1, .query_heads = 1, .kv_heads = 1, .dim = dim, .tokens = count, .queries = 1};
        projection.shape = {static_cast<std::uint64_t>(dim), static_cast<std::uint64_t>(dim)};
    }
    CaptureLayer tokens;
    Tensor projection;

    [[nodiscard]] const CaptureShape& shape() const override { return tokens.shape; }
    [[nodiscard]] const std::string& source() const override { return name_; }
    [[nodiscard]] CaptureLayer layer(int /*index*/) const override { return tokens; }
    [[nodiscard]] std::optional<Tensor> matrix(int /*index*/, const std::string& name) const override {
        if (name != "wo") return std::nullopt;
        return projection;
    }
    [[nodiscard]] std::optional<Rotary> rotary() const override { return std::nullopt; }

private:
    std::string name_ = "drawn";
};

struct Case {
    OneHead head;
    NoiseSizes sizes;
    NoiseLaw law;
};

/// Weights from flat to peaked, noise from A_0 far below 1 to far above.
Case drawn_case(Draws& draws) {
    const int tokens = 2 + draws.below(47);
    const int dim = 1 + draws.below(12);
    Case out{.head = OneHead(tokens, dim),
             .sizes = {},
             .law = draws.one_in(2) ? NoiseLaw::signs : NoiseLaw::uniform};
    const auto fill = [&](std::vector<double>& to, int count, double scale) {
        for (int i = 0; i < count; ++i) to.push_back(scale * draws.normal());
    };
    fill(out.head.tokens.q, dim, draws.pick({0, 1, 4}));
    for (double& q : out.head.tokens.q) q += 0x1p-3; // no query is 0
    fill(out.head.tokens.k, tokens * dim, 1);
    fill(out.head.tokens.v, tokens * dim, 1);
    fill(out.head.projection.values, dim * dim, 1);
    out.sizes.kappa = kappa_of(out.law);
    const auto size = [&](int least) { return std::ldexp(1.0, -least - draws.below(6)); };
    const int keys = draws.below(8) - 2;
    for (int i = 0; i < tokens; ++i) {
        out.sizes.key_token.push_back(size(0));
        out.sizes.value_token.push_back(size(0));
    }
    for (int c = 0; c < dim; ++c) {
        out.sizes.key_channel.push_back(size(keys));
        out.sizes.value_channel.push_back(size(2));
    }
    return out;
}

/// Two tokens whose logits differ by `gap`. Of equal weight their samples of opposite noise are the largest
/// known; where the product of the weights is 1/12, near a gap of 9/4, the values' part is the least known,
/// -1/6.
Case two_tokens(double gap) {
    Case out{.head = OneHead(2, 1), .sizes = {{1, 1}, {0x1p-6}, {1, 1}, {0x1p-6}, 1}, .law = NoiseLaw::signs};
    out.head.tokens.q = {1};
    out.head.tokens.k = {gap, 0};
    out.head.tokens.v = {1, 0};
    out.head.projection.values = {1};
    return out;
}

void hold_within(Outcome& outcome, double part, double unit, double most, const std::string& where) {
    if (unit > 0) outcome.hold(rational_from(std::fabs(part)), rational_from(most * unit), where);
}

void try_case(Outcome& outcome, const Case& drawn, const Sample& sample, std::uint64_t index,
              const SampleRange& range) {
    const QueryRows rows(drawn.head, nullptr);
    DecodeStep step;
    rows.step(rows.row(0), step);
    const DistortionTerms terms = distortion_terms(step, rows.head(rows.row(0)), drawn.sizes);
    const double allowed = remainder_allowance(step.tokens, step.dim);
    const double square = terms.reach * terms.reach;
    std::vector<double> gains(step.dim);
    for (std::size_t c = 0; c < step.dim; ++c) gains[c] = step.query[c] * drawn.sizes.key_channel[c];
    std::vector<double> shifts(step.tokens);
    WeightChange plus;
    WeightChange minus;
    for (int n = 0; n < draws_a_case && !outcome.failed(); ++n) {
        const RandomPlace place{sample.seed, index, random_experiment::reader_cases,
                                static_cast<std::uint16_t>(noise_stream + n)};
        DrawnNoise(drawn.law, place, step.dim, step.tokens).over_rows(gains, shifts);
        for (std::size_t i = 0; i < step.tokens; ++i) shifts[i] *= drawn.sizes.key_token[i];
        weight_change(step, shifts, 1, plus);
        weight_change(step, shifts, -1, minus);
        const RemainderSample part = remainder_sample(step, drawn.sizes, terms, plus, minus);
        const std::string where = "case " + std::to_string(index) + ", draw " + std::to_string(n);
        outcome.count();
        hold_within(outcome, part.key, terms.farthest * square * square, range.key + allowed,
                    where + ", keys");
        hold_within(outcome, part.value, square * terms.omega,
                    (part.value < 0 ? -range.least_value : range.greatest_value) + allowed,
                    where + ", values");
    }
}

} // namespace

Decision noise_samples_are_bounded(const Sample& sample, const SampleRange& range) {
    Outcome outcome;
    try_case(outcome, two_tokens(0), sample, sample.cases, range);
    try_case(outcome, two_tokens(2.25), sample, sample.cases + 1, range);
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        Draws draws(sample.seed, i, case_stream);
        try_case(outcome, drawn_case(draws), sample, i, range);
    }
    return outcome.decision();
}

} // namespace kvproof
