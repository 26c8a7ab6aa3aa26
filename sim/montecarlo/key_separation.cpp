// ReadKV Theorem 1 (E.1.1): the running reader on k-sparse queries, and readers that do not see the query, at
// the same number of reads.

#include "lib/attention/reader_run.hpp"
#include "lib/codec/bulk_encoder.hpp"
#include "lib/codec/pointwise_error.hpp"
#include "lib/error.hpp"
#include "lib/exact/interval.hpp"
#include "lib/random/random_stream.hpp"
#include "sim/montecarlo/rows.hpp"
#include "sim/montecarlo/scalar_codes.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

enum Parameters : std::size_t { dimension, sparsity, rate, depth, transform };
enum Metrics : std::size_t { readkv, violations, uniform, trellis, nested };
enum Streams : std::uint16_t { source_stream, query_stream };

constexpr std::size_t block_trials = 256;
constexpr int deepest = 8;
constexpr Bits bits = 128;

struct Setting {
    std::size_t dim;    // d
    std::size_t sparse; // k
    int rate;           // r/d
    int depth;          // L
    Transform keys;
    NestedCode code;     // to depth L
    NestedCode shallow;  // to depth r/d
    BulkEncoder encoder; // of `shallow`
    double bound;        // k eps_L^2, from above
    double allowed;
};

RandomPlace place(const TrialRange& range, std::size_t i, std::uint16_t stream) {
    return {.seed = range.seed,
            .trial = range.first + i,
            .experiment = random_experiment::key_separation,
            .stream = stream};
}

/// k of d coordinates, all supports alike, along a normal direction, of norm just below 1.
std::vector<double> sparse_query(RandomStream stream, std::size_t d, std::size_t k) {
    std::vector<std::size_t> order(d);
    for (std::size_t i = 0; i < d; ++i) order[i] = i;
    std::vector<double> q(d);
    double square = 0;
    for (std::size_t n = 0; n < k; ++n) {
        std::swap(order[n], order[n + static_cast<std::size_t>(stream.below(static_cast<int>(d - n)))]);
        double& entry = q[order[n]];
        entry = stream.normal();
        square += entry * entry;
    }
    for (double& entry : q) entry *= (1 - 0x1p-40) / std::sqrt(square);
    return q;
}

/// d (x'y - s)^2 for what ReadKV returns.
double readkv_error(const Setting& setting, const std::vector<double>& z, const std::vector<double>& q) {
    const std::size_t d = setting.dim;
    const double root = std::sqrt(static_cast<double>(d));
    std::vector<double> key = z;
    for (double& entry : key) entry /= root;
    setting.keys.apply_inverse(key);
    std::vector<double> y = q;
    setting.keys.apply_inverse(y);
    const CaptureLayer layer = one_head_layer(static_cast<int>(d), key, std::vector<double>(d));
    // B_K = L k, in tokens of one; values are not asked for
    ReaderRun run(
        layer, plain_calibration(layer.shape, 1 / root, 1),
        {.keys = setting.keys,
         .values = Transform::identity(d),
         .code = setting.code,
         .rates = {Rational(setting.depth * static_cast<long>(setting.sparse), static_cast<long>(d)), 0}},
        [](const EncodedLayer& encoded, const Rates& rates, bool per_head) {
            return adaptive_policy(rates, encoded.code().gain, per_head);
        });
    const double estimate = run.run(y, 1).logits[0] * root; // undoes the reader's 1/sqrt(d_h)
    double product = 0;
    for (std::size_t i = 0; i < d; ++i) product += q[i] * z[i];
    const double error = product / root - estimate;
    return static_cast<double>(d) * error * error;
}

/// The risk of estimates by these numbers, times d, for a random signed coordinate as the query: exactly its
/// expectation given z, since each coordinate is as likely.
double coordinate_risk(const std::vector<double>& z, const std::vector<double>& estimates) {
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i) sum += (z[i] - estimates[i]) * (z[i] - estimates[i]);
    return sum / static_cast<double>(z.size());
}

void run_trials(const Setting& setting, const TrialRange& range, SampleTable& samples) {
    const std::size_t d = setting.dim;
    std::vector<std::uint8_t> codes(d);
    for (std::size_t i = 0; i < range.count; ++i) {
        RandomStream source(place(range, i, source_stream));
        std::vector<double> z(d);
        for (double& entry : z) entry = source.symmetric();
        const std::vector<double> q =
            sparse_query(RandomStream(place(range, i, query_stream)), d, setting.sparse);

        const double error = readkv_error(setting, z, q);
        const double most = setting.bound + setting.allowed;
        samples.of(violations)[i] = error > most ? 1 : 0;
        samples.of(readkv)[i] = std::min(error, most);

        std::vector<double> estimates(d);
        for (std::size_t c = 0; c < d; ++c) estimates[c] = uniform_level(z[c], setting.rate);
        samples.of(uniform)[i] = coordinate_risk(z, estimates);
        trellis_code(z, setting.rate, estimates);
        samples.of(trellis)[i] = coordinate_risk(z, estimates);
        setting.encoder.encode(z, codes);
        for (std::size_t c = 0; c < d; ++c)
            estimates[c] =
                setting.shallow.codebook.centroids[static_cast<std::size_t>(setting.rate)][codes[c]];
        samples.of(nested)[i] = coordinate_risk(z, estimates);
    }
}

/// 2^(1 - 2 r/d) / (pi e).
Interval converse(int rate) {
    const Interval circle = mul(pi(bits), euler_e(bits), bits);
    return div(Interval(power(Rational(2), 1 - 2 * rate), bits), circle, bits);
}

/// eps_t from above.
double epsilon(const NestedCode& code, int t) {
    const Rational value = pointwise_error(exact_codebook(code.codebook), t).value;
    return mpfr_get_d(Interval(value, bits).upper(), MPFR_RNDU);
}

Experiment make_key_separation(const ExperimentInputs& inputs) {
    const std::size_t d = inputs.whole(dimension);
    const std::size_t k = inputs.whole(sparsity);
    const auto per_coordinate = static_cast<int>(inputs.whole(rate));
    const auto levels = static_cast<int>(inputs.whole(depth));
    if (k > d) throw Error(ErrorCode::bad_option, "--set: k: found more than d, expected k <= d");
    if (static_cast<std::size_t>(levels) * k > static_cast<std::size_t>(per_coordinate) * d)
        throw Error(ErrorCode::bad_option, "--set: L: found L k > r, expected L <= r/k (Theorem 1)");
    const bool hadamard = inputs.word(transform) == "hadamard";
    const NestedCode whole = gaussian_code(deepest);
    const double dim = static_cast<double>(d);
    const double eps = epsilon(whole, levels);
    const double bound = static_cast<double>(k) * eps * eps * (1 + 0x1p-40);
    // The reader's estimate and x'y are sums of d terms of total size at most 4, and the stored z is off by
    // the rounding of the transforms there and back: less than 16 (d + 64) u in |x'y - s|, which moves d (x'y
    // - s)^2 by at most this.
    const double rounding = 16 * (dim + 64) * 0x1p-53;
    const double allowed = 2 * std::sqrt(dim * static_cast<double>(k)) * eps * rounding * (1 + 0x1p-40) +
                           dim * rounding * rounding;
    const Setting setting{.dim = d,
                          .sparse = k,
                          .rate = per_coordinate,
                          .depth = levels,
                          .keys = hadamard ? Transform::hadamard(d, 0, 0) : Transform::identity(d),
                          .code = cut(whole, levels),
                          .shallow = cut(whole, per_coordinate),
                          .encoder = BulkEncoder(cut(whole, per_coordinate).codebook),
                          .bound = bound,
                          .allowed = allowed};
    const double shallow_eps = epsilon(whole, per_coordinate);
    Experiment out;
    out.block = block_trials;
    out.metrics = {
        {"readkv", MetricKind::bounded, 0, bound + allowed,
         "d (x'y - s)^2 of ReadKV's reader, k-sparse queries; at most k eps_L^2"},
        {"readkv_violations", MetricKind::proportion, 0, 1, "(x'y - s)^2 > k eps_L^2 / d"},
        {"uniform", MetricKind::bounded, 0, std::ldexp(1 + 0x1p-40, -2 * per_coordinate),
         "d (x'y - s)^2 of r/d bits of every coordinate, evenly spaced levels; signed coordinate queries"},
        {"trellis", MetricKind::bounded, 0, trellis_limit(per_coordinate) * (1 + 0x1p-40),
         "the same with trellis-coded quantisation"},
        {"nested", MetricKind::bounded, 0, shallow_eps * shallow_eps * (1 + 0x1p-40),
         "the same with the first r/d levels of ReadKV's code"},
    };
    const Interval limit = converse(per_coordinate);
    out.references = {
        {"converse", mpfr_get_d(limit.lower(), MPFR_RNDD),
         "2^(1-2r/d)/(pi e): no reader whose path does not see the query has a smaller mean (rounded down)"},
        {"upper", bound, "k eps_L^2: ReadKV's worst case (rounded up)"},
    };
    out.run = [setting](const TrialRange& range, SampleTable& samples) {
        run_trials(setting, range, samples);
    };
    return out;
}

} // namespace

/// One trial draws z uniform on [-1,1]^d, the law under which the converse is proved, and a k-sparse query.
/// Ranges: readkv by Theorem 1 with Cauchy's inequality, the others by the largest error of their codes on
/// [-1, 1] (nested: eps_{r/d}, computed exactly).
ExperimentRow key_separation_row() {
    return {.name = "key-separation",
            .summary = "ReadKV Theorem 1: the reader against readers that do not see the query",
            .version = 1,
            .parameters = {{"d", "128", 1, 1024, true, {}, "dimension; a power of two with hadamard"},
                           {"k", "32", 1, 1024, true, {}, "nonzero coordinates of a query"},
                           {"rate", "2", 1, 8, true, {}, "r/d: bits read, a coordinate"},
                           {"L", "8", 1, 8, true, {}, "levels that ReadKV reads of k coordinates"},
                           {"transform", "hadamard", 0, 0, false, {"hadamard", "identity"}, "U"}},
            .needs_capture = false,
            .make = make_key_separation};
}

} // namespace kvproof
