// ReadKV Theorem 2 (E.1.2): the running two-stage reader on its family, and readers that do not see the
// query, at the same number of reads.

#include "lib/attention/reader_run.hpp"
#include "lib/codec/pointwise_error.hpp"
#include "lib/exact/interval.hpp"
#include "lib/portable/exp.hpp"
#include "lib/random/random_stream.hpp"
#include "sim/montecarlo/rows.hpp"
#include "sim/montecarlo/scalar_codes.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

enum Parameters : std::size_t { dimension };
enum Metrics : std::size_t { readkv, violations, misread, uniform, trellis };

constexpr std::size_t block_trials = 256;
constexpr int depth = 8;
constexpr int competitor_bits = 4; // r = 8m + 2: four bits of each of 2m coordinates, b, and one to spare
constexpr Bits bits = 128;

struct Setting {
    std::size_t m;
    NestedCode code;
    double p;
    double rho;
    double most; // (p eps_8 + rho)^2 from above, rounding included
};

/// The family: b, eta and v_1, v_2 in turn.
struct Draw {
    double b;
    double eta;
    std::vector<double> values; // [2, m]
};

double squared_error(const Setting& setting, const Draw& draw, double eta,
                     const std::vector<double>& answer) {
    const std::size_t chosen = eta * draw.b == 1 ? 0 : setting.m; // j*
    double sum = 0;
    for (std::size_t c = 0; c < setting.m; ++c) {
        const double exact =
            setting.p * draw.values[chosen + c] + setting.rho * draw.values[setting.m - chosen + c];
        sum += (exact - answer[c]) * (exact - answer[c]);
    }
    return sum / static_cast<double>(setting.m);
}

/// A reader that knows b and returns the attention output of its reconstructed values: the mean over both
/// query signs.
double competitor(const Setting& setting, const Draw& draw, const std::vector<double>& estimates) {
    double sum = 0;
    for (const double eta : {-1.0, 1.0}) {
        const std::size_t chosen = eta * draw.b == 1 ? 0 : setting.m;
        std::vector<double> answer(setting.m);
        for (std::size_t c = 0; c < setting.m; ++c)
            answer[c] = setting.p * estimates[chosen + c] + setting.rho * estimates[setting.m - chosen + c];
        sum += squared_error(setting, draw, eta, answer);
    }
    return sum / 2;
}

void run_trials(const Setting& setting, const TrialRange& range, SampleTable& samples) {
    const std::size_t m = setting.m;
    const double c1 = setting.code.codebook.centroids[1][1];
    for (std::size_t i = 0; i < range.count; ++i) {
        RandomStream stream({.seed = range.seed,
                             .trial = range.first + i,
                             .experiment = random_experiment::attention_separation,
                             .stream = 0});
        Draw draw{.b = stream.one_in(2) ? 1.0 : -1.0,
                  .eta = stream.one_in(2) ? 1.0 : -1.0,
                  .values = std::vector<double>(2 * m)};
        for (double& entry : draw.values) entry = stream.symmetric();

        std::vector<double> keys(2 * m);
        keys[0] = draw.b * c1;
        keys[m] = -keys[0];
        std::vector<double> query(m);
        query[0] = draw.eta * (5 * std::sqrt(static_cast<double>(m)) / c1);
        const CaptureLayer layer = one_head_layer(static_cast<int>(m), keys, draw.values);
        ReaderRun run(layer, plain_calibration(layer.shape, 1, 1),
                      {.keys = Transform::identity(m),
                       .values = Transform::identity(m),
                       .code = setting.code,
                       .rates = {Rational(1, static_cast<long>(m)), 4}},
                      [](const EncodedLayer& encoded, const Rates& rates, bool per_head) {
                          return adaptive_policy(rates, encoded.code().gain, per_head);
                      });
        const TwoStageCall& call = run.run(query, 2);
        const double error = squared_error(setting, draw, draw.eta, run.reader().outputs(call));
        samples.of(violations)[i] = error > setting.most ? 1 : 0;
        samples.of(readkv)[i] = std::min(error, setting.most);
        samples.of(misread)[i] = call.key_bits == 2 && call.value_bits == 8 * m ? 0 : 1;

        std::vector<double> estimates(2 * m);
        for (std::size_t c = 0; c < 2 * m; ++c) estimates[c] = uniform_level(draw.values[c], competitor_bits);
        samples.of(uniform)[i] = competitor(setting, draw, estimates);
        trellis_code(draw.values, competitor_bits, estimates);
        samples.of(trellis)[i] = competitor(setting, draw, estimates);
    }
}

/// tanh(5)^2 2^(-7 - 2/m) / (pi e).
Interval converse(std::size_t m) {
    const Interval five(Rational(5), bits);
    const Interval power_of_two = pow(Interval(Rational(2), bits),
                                      Interval(Rational(-7) - Rational(2, static_cast<long>(m)), bits), bits);
    return div(mul(sqr(tanh(five, bits), bits), power_of_two, bits), mul(pi(bits), euler_e(bits), bits),
               bits);
}

Experiment make_attention_separation(const ExperimentInputs& inputs) {
    const std::size_t m = inputs.whole(dimension);
    const NestedCode code = gaussian_code(depth);
    const double rho = 1 / (1 + portable::exp(10));
    const Rational epsilon = pointwise_error(exact_codebook(code.codebook), depth).value;
    // outputs are sums of products below 4, each off by less than 64 u, the reader's attention by 2^-45
    const double largest = nearest_float64(epsilon) + rho + 0x1p-42;
    const Setting setting{.m = m, .code = code, .p = 1 - rho, .rho = rho, .most = largest * largest};
    const double uniform_limit = std::ldexp(1 + 0x1p-40, -2 * competitor_bits);
    // p x + rho y: a sum of two vectors with these mean squares, p + rho = 1
    const double trellis_most = 2 * trellis_limit(competitor_bits) * (1 + 0x1p-40);
    Experiment out;
    out.block = block_trials;
    out.metrics = {
        {"readkv", MetricKind::bounded, 0, setting.most,
         "||o - o^||^2 / m of ReadKV's reader; at most (p eps_8 + rho)^2 < 9.50e-5"},
        {"readkv_violations", MetricKind::proportion, 0, 1, "||o - o^||^2 / m > (p eps_8 + rho)^2"},
        {"misread", MetricKind::proportion, 0, 1, "ReadKV reads other than 2 key bits and 8m value bits"},
        {"uniform", MetricKind::bounded, 0, uniform_limit,
         "||o - o^||^2 / m of four bits of each of the 2m numbers, evenly spaced levels; both query signs"},
        {"trellis", MetricKind::bounded, 0, trellis_most, "the same with trellis-coded quantisation"},
    };
    const Interval limit = converse(m);
    out.references = {
        {"converse", mpfr_get_d(limit.lower(), MPFR_RNDD),
         "tanh(5)^2 2^(-7-2/m)/(pi e): no reader whose path does not see the query has a smaller mean over "
         "the "
         "query's sign (rounded down)"},
        {"upper", setting.most, "(p eps_8 + rho)^2: ReadKV's worst case (rounded up)"},
    };
    out.run = [setting](const TrialRange& range, SampleTable& samples) {
        run_trials(setting, range, samples);
    };
    return out;
}

} // namespace

/// One trial draws b, eta and v_1, v_2 uniform on [-1,1]^m, the law under which the converse is proved.
/// Ranges: readkv by Theorem 2; uniform since ||p x + rho y|| is at most the larger norm; trellis since its
/// mean square over all 2m numbers is limited, so that over m of them it is at most twice that.
ExperimentRow attention_separation_row() {
    return {.name = "attention-separation",
            .summary = "ReadKV Theorem 2: the two-stage reader against readers that do not see the query",
            .version = 1,
            .parameters = {{"m", "8", 1, 256, true, {}, "dimension of keys and values"}},
            .needs_capture = false,
            .make = make_attention_separation};
}

} // namespace kvproof
