// Weighted spreads and ||V - 1c'||^2 against Eigen in long double, and mutants
// of the certificates: with a factor left out, a true error lies above.
#include "lib/attention/spread.hpp"

#include "lib/attention/value_spread.hpp"
#include "tests/attention/true_error.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

int pick(int least, int most) {
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
}

Matrix matrix_of(const Vector& rows, std::size_t d) {
    Matrix out(static_cast<Eigen::Index>(rows.size() / d), static_cast<Eigen::Index>(d));
    for (std::size_t i = 0; i < rows.size(); ++i)
        out(static_cast<Eigen::Index>(i / d), static_cast<Eigen::Index>(i % d)) = rows[i];
    return out;
}

RC_GTEST_PROP(SpreadUp, is_eigens_weighted_covariance, ()) {
    const auto d = static_cast<std::size_t>(pick(1, 8));
    const auto tokens = static_cast<std::size_t>(pick(1, 30));
    std::mt19937_64 next(static_cast<std::uint64_t>(pick(0, 1 << 30)));
    std::normal_distribution<double> normal;
    const double peak = pick(0, 40);
    Vector logits;
    Vector rows;
    Vector squares;
    for (std::size_t j = 0; j < tokens; ++j) {
        logits.push_back(peak * normal(next));
        double square = 0;
        for (std::size_t c = 0; c < d; ++c) {
            rows.push_back(std::exp(3 * normal(next)) * normal(next));
            square += rows.back() * rows.back();
        }
        squares.push_back(square * (1 + 1e-14));
    }
    const double found = spread_up(rows, d, softmax(logits), squares);
    const std::vector<long double> p = softmax_of({logits.begin(), logits.end()});
    Matrix e = matrix_of(rows, d);
    Matrix scaled = e;
    for (std::size_t j = 0; j < tokens; ++j) scaled.row(static_cast<Eigen::Index>(j)) *= p[j];
    const long double truth = top(e.transpose() * scaled);
    RC_ASSERT(found >= truth * (1 - 1e-14L));
    RC_ASSERT(found <= truth * (1 + 1.5e-3L) + 1e-300L); // rows of a part in 1000 count by their trace
}

/// The running sums against each prefix computed on its own.
RC_GTEST_PROP(ValueSpread, is_each_prefix_on_its_own, ()) {
    CaseSizes sizes{.kv_heads = pick(1, 2), .query_heads = 2, .dim = pick(1, 8), .tokens = pick(1, 20)};
    sizes.query_heads = sizes.kv_heads;
    ReaderCase input = random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    const double offset = pick(0, 2) == 0 ? std::ldexp(1.0, pick(0, 20)) : 0;
    double largest = 0;
    for (double& v : input.layer.v) largest = std::max(largest, std::abs(v += offset));
    const ExactLayer exact(input.layer, input.keys, input.values);
    for (int g = 0; g < sizes.kv_heads; ++g)
        for (const Centre centre : {Centre::mean, Centre::zero}) {
            ValueSpread spread(exact, g, centre);
            for (int tokens = 1; tokens <= sizes.tokens; tokens += pick(1, 3)) {
                const EigenvalueBounds found = spread.up_to(tokens);
                const auto first =
                    input.layer.v.begin() + static_cast<std::ptrdiff_t>(g * sizes.tokens * sizes.dim);
                Matrix v = matrix_of(Vector(first, first + tokens * sizes.dim), input.dim());
                if (centre == Centre::mean) v.rowwise() -= v.colwise().mean().eval();
                const long double truth = top(v.transpose() * v);
                const long double noise =
                    1e-17L * static_cast<long double>(largest) * largest * tokens * sizes.dim;
                RC_ASSERT(found.lower <= truth * (1 + 1e-15L) + noise);
                RC_ASSERT(found.upper >= truth * (1 - 1e-15L) - noise);
                // tight to 1e-9, but for what the whole layer's spread about one centre leaves
                const double slack = 1e-12 * static_cast<double>(sizes.tokens) *
                                     (centre == Centre::zero ? 1 : 40) *
                                     (1 + (centre == Centre::zero ? largest * largest : 0) * sizes.dim);
                RC_ASSERT(found.upper <= truth * (1 + 1e-9L) + slack);
            }
        }
}

/// ||V'(alpha - alpha^)|| and ||E_V' alpha^|| with a factor of their bounds left out, over the same search:
/// each of these is refuted by a case that the whole bound covers.
struct Mutant {
    const char* name;
    long double (*bound)(const Formulas&);
};

TEST(CertificateMutants, are_refuted) {
    const Mutant mutants[] = {
        {"kappa_V of Proposition 12",
         [](const Formulas& f) { return f.centre_norm_sq * f.kappa_k * f.a_k / 2 + 2 * f.a_v; }},
        {"kappa_K of Proposition 12",
         [](const Formulas& f) { return f.centre_norm_sq * f.a_k / 2 + 2 * f.kappa_v * f.a_v; }},
        {"half the value term of Proposition 12",
         [](const Formulas& f) { return f.centre_norm_sq * f.kappa_k * f.a_k / 2 + f.kappa_v * f.a_v; }},
        {"the reader's attention for the mean of the two",
         [](const Formulas& f) {
             const long double sum = std::sqrt(f.spread_of_reader * f.variance_of_reader) + f.value_term;
             return sum * sum;
         }},
        {"half the discrimination",
         [](const Formulas& f) {
             const long double sum = std::sqrt(f.spread * f.discrimination / 2) + f.value_term;
             return sum * sum;
         }},
        {"half the value term of the sharp bound",
         [](const Formulas& f) {
             const long double sum = f.attention() + f.value_term / 2;
             return sum * sum;
         }},
        {"no value term", [](const Formulas& f) { return f.spread * f.discrimination; }},
        {"no attention term", [](const Formulas& f) { return f.value_term * f.value_term; }},
    };
    std::vector<int> refuted(std::size(mutants));
    const auto hold = [&](const ReaderCase& input, Answered& answered) {
        const auto tokens = input.tokens();
        answered.run(input);
        const Vector outputs = answered.reader.outputs(answered.call);
        for (std::size_t h = 0; h < answered.call.attention.size(); ++h) {
            const Formulas by = formulas_of(input, answered.reader, answered.call, h, Centre::mean);
            const long double truth = near_value(
                true_error(input, h, tokens, std::span(outputs).subspan(h * input.dim(), input.dim())));
            ASSERT_LE(truth, by.bound() * (1 + 1e-9L) + 1e-24L); // the whole ones hold
            ASSERT_LE(truth, by.sharp() * (1 + 1e-9L) + 1e-24L);
            for (std::size_t i = 0; i < refuted.size(); ++i)
                if (truth > mutants[i].bound(by) * (1 + 1e-6L) + 1e-20L) ++refuted[i];
        }
    };
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CaseSizes sizes{.kv_heads = 1,
                        .query_heads = 2,
                        .dim = 1 + static_cast<int>(seed % 4),
                        .tokens = 1 + static_cast<int>(seed % 7)};
        sizes.query_scale = seed % 3 == 0 ? 20 : 1;
        sizes.foreign = seed % 2 == 0 ? 4 : 0;
        const ReaderCase input = random_case(sizes, seed);
        Answered answered(input, fixed_policy(static_cast<unsigned>(1 + seed % 3)));
        hold(input, answered);
    }
    // equal residuals (E.3.3's examples): all values alike and off alike; one key channel pattern, off alike
    for (const int tokens : {4, 8})
        for (const double away : {.01, .1}) {
            ReaderCase input = random_case(
                {.kv_heads = 1, .query_heads = 2, .dim = 4, .tokens = tokens, .depth = 1, .hadamard = false},
                1);
            std::fill(input.layer.v.begin(), input.layer.v.end(), .3);
            std::fill(input.calibration.values.mean.begin(), input.calibration.values.mean.end(), 0);
            std::fill(input.calibration.values.scale.begin(), input.calibration.values.scale.end(), 1);
            Answered values(input, fixed_policy(1));
            hold(input, values);
            // two tokens of opposite values, evenly attended, whose logits move apart by keys that are off in
            // all channels alike: the softmax bound's 1/2 and kappa_K = d are both attained
            ReaderCase keys = random_case(
                {.kv_heads = 1, .query_heads = 1, .dim = 4, .tokens = 2, .depth = 1, .hadamard = false}, 1);
            const auto c1 = static_cast<double>(keys.code.codebook.centroids[1][1]);
            for (std::size_t c = 0; c < 4; ++c) {
                keys.layer.k[c] = 1 + away;
                keys.layer.k[4 + c] = 1 - away;
                keys.layer.v[c] = 1;
                keys.layer.v[4 + c] = -1;
                keys.queries[c] = keys.layer.q[c] = .1;
                keys.calibration.keys.mean[c] = 1 - c1 * .5; // both keys are read as 1
                keys.calibration.keys.scale[c] = .5;
                // both values off by the error of the keys: the cross term is as large as it can be
                const double off = .1 * 4 * away / 2;
                keys.calibration.values.mean[c] = -off;
                keys.calibration.values.scale[c] = 1 / c1;
            }
            Answered together(keys, fixed_policy(1));
            hold(keys, together);
        }
    for (std::size_t i = 0; i < refuted.size(); ++i) {
        EXPECT_GT(refuted[i], 0) << mutants[i].name;
        RecordProperty(mutants[i].name, refuted[i]);
    }
}

/// The steps of docs/sharp-certificate.md: with t = (alpha - alpha^)/m, alpha - alpha^ = m t and sum m t = 0,
/// so that Cauchy-Schwarz for covariances under m gives the first line; and t = 2 tanh(x/2), x = Delta up to
/// a constant, changes no faster than x, so that its variance is no larger.
RC_GTEST_PROP(SharpBound, is_by_discrimination_which_the_variance_of_the_change_bounds, ()) {
    CaseSizes sizes{.kv_heads = 1, .query_heads = 1, .dim = pick(1, 4), .tokens = pick(2, 8)};
    sizes.query_scale = std::pow(10.0, pick(-1, 2));
    sizes.foreign = pick(0, 1) == 0 ? 4 : 0;
    const ReaderCase input = random_case(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    Answered answered(input, fixed_policy(static_cast<unsigned>(pick(0, 2))));
    answered.run(input);
    const Formulas by = formulas_of(input, answered.reader, answered.call, 0, Centre::mean);
    RC_ASSERT(by.attention_term_sq <= by.spread * by.discrimination * (1 + 1e-9L) + 1e-24L);
    RC_ASSERT(by.discrimination <= by.logit_variance * (1 + 1e-9L) + 1e-24L);
    RC_ASSERT(by.discrimination <= 4); // at most 2 (alpha + alpha^) a token
    RC_CLASSIFY(by.discrimination > 1);
}

} // namespace
