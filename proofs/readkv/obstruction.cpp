#include "proofs/readkv/obstruction.hpp"

#include "proofs/draws.hpp"
#include "proofs/outcome.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

constexpr std::uint16_t place_stream = 112;
constexpr int depth = 8;
constexpr Bits bits = 128;

void check(const NestedCode& code, std::size_t d, std::size_t j, std::uint64_t signs,
           const MakePolicy& make_policy, Outcome& outcome) {
    const std::string where = "d = " + std::to_string(d) + ", j = " + std::to_string(j + 1) +
                              ", signs of seed " + std::to_string(signs);
    std::vector<double> unit(d);
    unit[j] = 1;
    const CaptureLayer layer = one_head_layer(static_cast<int>(d), unit, std::vector<double>(d));
    ReaderRun run(layer, plain_calibration(layer.shape, 1 / std::sqrt(static_cast<double>(d)), 1),
                  {.keys = Transform::hadamard(d, signs, 0),
                   .values = Transform::hadamard(d, signs, 1),
                   .code = cut(code, depth),
                   .rates = {2, 2}},
                  make_policy);
    const TwoStageCall& call = run.run(unit, 1);
    outcome.count();
    if (std::ranges::any_of(call.key_schedule.depths, [](std::uint8_t t) { return t != 2; }))
        outcome.fail("a depth is not 2", where);
    const Interval root = sqrt(Interval(Rational(d), bits), bits);
    const Interval estimate = mul(root, Interval::from_double(call.logits[0]), bits);
    const Interval error = sqr(sub(estimate, Interval(Rational(1), bits), bits), bits);
    outcome.hold(parse_rational("0.26052610"), error.lower_rational(), where);
}

} // namespace

Decision obstruction_run(const Sample& sample, const MakePolicy& make_policy) {
    require_depth(sample.code, depth);
    Outcome outcome;
    for (std::size_t d = 1; d <= 32; d *= 2)
        for (std::size_t j = 0; j < d; ++j) check(sample.code, d, j, sample.seed, make_policy, outcome);
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        Draws draws(sample.seed, i, place_stream);
        const auto d = static_cast<std::size_t>(1) << static_cast<unsigned>(draws.below(9));
        const auto j = static_cast<std::size_t>(draws.below(static_cast<int>(d)));
        check(sample.code, d, j, draws.word(), make_policy, outcome);
    }
    return outcome.decision();
}

} // namespace kvproof
