#include "proofs/readkv/theorem_2.hpp"

#include "proofs/draws.hpp"
#include "proofs/outcome.hpp"
#include "proofs/readkv/unit_grid.hpp"

#include <cmath>

namespace kvproof {
namespace {

constexpr std::uint16_t value_stream = 96;
constexpr int depth = 8;
constexpr Bits bits = 128;

/// b, eta and the two values, [m] each.
struct Family {
    int b;
    int eta;
    std::vector<double> values[2];

    [[nodiscard]] std::string where() const {
        std::string out = "m = " + std::to_string(values[0].size()) + ", b = " + std::to_string(b) +
                          ", eta = " + std::to_string(eta) + ", v_1, v_2 = (";
        for (const auto& value : values)
            for (const double x : value) out += " " + to_string(rational_from(x));
        return out + " )";
    }
};

class Checker {
public:
    Checker(const NestedCode& code, const MakePolicy& make_policy)
        : code_(cut(code, depth)), make_policy_(make_policy) {}

    void check(const Family& family, Outcome& outcome) const {
        const std::size_t m = family.values[0].size();
        const double c1 = code_.codebook.centroids[1][1];
        std::vector<double> keys(2 * m);
        keys[0] = family.b * c1;
        keys[m] = -keys[0];
        std::vector<double> values = family.values[0];
        values.insert(values.end(), family.values[1].begin(), family.values[1].end());
        const CaptureLayer layer = one_head_layer(static_cast<int>(m), keys, values);
        ReaderRun run(layer, plain_calibration(layer.shape, 1, 1),
                      {.keys = Transform::identity(m),
                       .values = Transform::identity(m),
                       .code = code_,
                       .rates = {Rational(1, m), 4}},
                      make_policy_);
        std::vector<double> query(m);
        query[0] = family.eta * (5 * std::sqrt(static_cast<double>(m)) / c1);
        const TwoStageCall& call = run.run(query, 2);
        outcome.count();

        const std::size_t chosen = family.eta * family.b == 1 ? 0 : 1; // j*
        const auto& depths = call.value_schedule.depths;
        if (call.key_bits != 2 || call.value_bits != 8 * m || depths[chosen] != 8 || depths[1 - chosen] != 0)
            outcome.fail("it does not read 2 key bits and the 8 m bits of v_j*", family.where());
        outcome.hold(error(family, chosen, run.reader().outputs(call)), Rational(95, 1000000),
                     family.where());
    }

private:
    /// (1/m) ||o - o^||^2 from above.
    [[nodiscard]] Rational error(const Family& family, std::size_t chosen,
                                 const std::vector<double>& outputs) const {
        Interval sum(bits);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const Interval near = mul(p_, Interval::from_double(family.values[chosen][i]), bits);
            const Interval far = mul(rho_, Interval::from_double(family.values[1 - chosen][i]), bits);
            const Interval off = sub(add(near, far, bits), Interval::from_double(outputs[i]), bits);
            sum = add(sum, sqr(off, bits), bits);
        }
        return sum.upper_rational() / Rational(outputs.size());
    }

    static Interval logistic(long x) {
        const Interval one(Rational(1), bits);
        return div(one, add(one, exp(Interval(Rational(-x), bits), bits), bits), bits);
    }

    NestedCode code_;
    const MakePolicy& make_policy_;
    Interval p_ = logistic(10);
    Interval rho_ = logistic(-10);
};

} // namespace

Decision theorem_2_run(const Sample& sample, const MakePolicy& make_policy) {
    require_depth(sample.code, depth);
    const Checker checker(sample.code, make_policy);
    const std::vector<double> ends = unit_grid(sample.code);
    Outcome outcome;
    for (const std::size_t m : {1, 2, 3, 8})
        for (const int b : {-1, 1})
            for (const int eta : {-1, 1})
                for (const double first : ends)
                    for (const double second : ends)
                        checker.check(
                            {b, eta, {std::vector<double>(m, first), std::vector<double>(m, second)}},
                            outcome);
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        Draws draws(sample.seed, i, value_stream);
        const int m = 1 + draws.below(16);
        Family family{draws.one_in(2) ? 1 : -1, draws.one_in(2) ? 1 : -1, {}};
        for (auto& value : family.values)
            for (int c = 0; c < m; ++c)
                value.push_back(
                    draws.one_in(2)
                        ? 2 * draws.uniform() - 1
                        : ends[static_cast<std::size_t>(draws.below(static_cast<int>(ends.size())))]);
        checker.check(family, outcome);
    }
    return outcome.decision();
}

} // namespace kvproof
