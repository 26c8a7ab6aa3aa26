#include "proofs/readkv/theorem_1.hpp"

#include "lib/codec/pointwise_error.hpp"
#include "proofs/draws.hpp"
#include "proofs/outcome.hpp"
#include "proofs/readkv/unit_grid.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

enum Stream : std::uint16_t { upper_stream = 80, schedule_stream = 81 };
constexpr int deepest = 8;

/// One query of the theorem, in transformed coordinates.
struct SparseQuery {
    std::vector<double> q;
    int depth; ///< L
    bool hadamard;
    std::uint64_t signs;

    [[nodiscard]] int support() const {
        return static_cast<int>(q.size()) - static_cast<int>(std::ranges::count(q, 0.0));
    }
    [[nodiscard]] std::string where() const {
        std::string out = "d = " + std::to_string(q.size()) + ", k = " + std::to_string(support()) +
                          ", L = " + std::to_string(depth) + (hadamard ? ", Hadamard" : ", identity") +
                          ", q = (";
        for (std::size_t i = 0; i < q.size(); ++i)
            if (q[i] != 0) out += " " + std::to_string(i + 1) + ": " + to_string(rational_from(q[i]));
        return out + " )";
    }
};

/// The keys and the reader of one query, which is asked at once.
class Instance {
public:
    /// z is [T, d].
    Instance(const NestedCode& code, const SparseQuery& query, const std::vector<double>& z,
             const MakePolicy& make_policy)
        : dim_(query.q.size()),
          transform_(query.hadamard ? Transform::hadamard(dim_, query.signs, 0) : Transform::identity(dim_)),
          layer_(keys_from(z)), run_(layer_, plain_calibration(layer_.shape, scale(), 1),
                                     {.keys = transform_,
                                      .values = Transform::identity(dim_),
                                      .code = cut(code, query.depth),
                                      .rates = {Rational(query.depth * query.support(), dim_), 0}},
                                     make_policy) {
        std::vector<double> y = query.q;
        transform_.apply_inverse(y);
        call_ = &run_.run(y, layer_.shape.tokens);
    }

    [[nodiscard]] const TwoStageCall& call() const { return *call_; }
    [[nodiscard]] double scale() const { return 1 / std::sqrt(static_cast<double>(dim_)); }

private:
    CaptureLayer keys_from(const std::vector<double>& z) const {
        std::vector<double> keys = z;
        for (double& entry : keys) entry *= scale();
        transform_.apply_inverse_rows(keys);
        return one_head_layer(static_cast<int>(dim_), keys, std::vector<double>(keys.size()));
    }

    std::size_t dim_;
    Transform transform_;
    CaptureLayer layer_;
    ReaderRun run_;
    const TwoStageCall* call_ = nullptr;
};

bool charges_what_it_may(const TwoStageCall& call, const SparseQuery& query) {
    const auto bits =
        static_cast<std::uint64_t>(query.depth) * static_cast<std::uint64_t>(query.support()); // r = L k
    return call.key_bits == bits * static_cast<std::uint64_t>(call.tokens);
}

void check_upper(const NestedCode& code, const SparseQuery& query, const std::vector<double>& z,
                 const Rational& epsilon, const MakePolicy& make_policy, Outcome& outcome) {
    const Instance instance(code, query, z, make_policy);
    const TwoStageCall& call = instance.call();
    if (!charges_what_it_may(call, query))
        outcome.fail("it does not read L k bits of each key", query.where());
    const std::size_t d = query.q.size();
    const Rational scale = rational_from(instance.scale()); // 1/sqrt(d), a power of two
    const Rational bound = Rational(query.support()) * epsilon * epsilon * scale * scale;
    for (std::size_t j = 0; j < call.logits.size(); ++j) {
        Rational product = 0;
        for (std::size_t i = 0; i < d; ++i)
            if (query.q[i] != 0) product += rational_from(query.q[i]) * rational_from(z[j * d + i]) * scale;
        const Rational error = product - rational_from(call.logits[j]) / scale;
        outcome.hold(error * error, bound, query.where() + ", key " + std::to_string(j + 1));
        outcome.count();
    }
}

/// k entries of `size` where, in drawn order, there is room.
std::vector<double> spread(Draws& draws, std::size_t d, int k, const auto& entry) {
    std::vector<double> out(d);
    for (int left = k; left > 0;) {
        double& at = out[static_cast<std::size_t>(draws.below(static_cast<int>(d)))];
        if (at != 0) continue;
        at = (draws.one_in(2) ? 1 : -1) * entry();
        --left;
    }
    return out;
}

void check_schedule(const NestedCode& code, const SparseQuery& query, const MakePolicy& make_policy,
                    Outcome& outcome) {
    const Instance instance(code, query, std::vector<double>(query.q.size()), make_policy);
    const TwoStageCall& call = instance.call();
    for (std::size_t i = 0; i < query.q.size(); ++i)
        if (call.key_schedule.depths[i] != (query.q[i] != 0 ? query.depth : 0))
            outcome.fail("coordinate " + std::to_string(i + 1) + " is read to depth " +
                             std::to_string(call.key_schedule.depths[i]),
                         query.where());
    if (!charges_what_it_may(call, query))
        outcome.fail("it does not read L k bits of each key", query.where());
    outcome.count();
}

} // namespace

Decision theorem_1_upper(const Sample& sample, const MakePolicy& make_policy) {
    require_depth(sample.code, deepest);
    const std::vector<double> ends = unit_grid(sample.code);
    const Codebook<Rational> exact = exact_codebook(sample.code.codebook);
    std::vector<Rational> epsilon = {0};
    for (int t = 1; t <= deepest; ++t) epsilon.push_back(pointwise_error(exact, t).value);
    Outcome outcome;
    for (const std::size_t d : {4, 16, 64})
        for (const std::size_t k : {1, 4, 16}) {
            if (k > d) continue;
            std::vector<double> q(d);
            std::fill_n(q.begin(), k, 1 / std::sqrt(static_cast<double>(k)));
            std::vector<double> z;
            for (const double end : ends) z.insert(z.end(), d, end);
            for (int depth = 1; depth <= deepest; ++depth)
                for (const bool hadamard : {false, true})
                    check_upper(sample.code, {q, depth, hadamard, sample.seed}, z, epsilon[depth],
                                make_policy, outcome);
        }
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        Draws draws(sample.seed, i, upper_stream);
        const auto d = static_cast<std::size_t>(draws.pick({4, 16, 64}));
        const int k = draws.pick({1, 2, 3, 4});
        const auto eighths = [&] {
            return (1 + draws.below(8)) / 16.0;
        }; // four of at most 1/2: a norm of at most 1
        const std::vector<double> q = spread(draws, d, k, eighths);
        std::vector<double> z;
        for (std::size_t n = 0; n < 4 * d; ++n)
            z.push_back(draws.one_in(2)
                            ? std::ldexp(draws.below((1 << 21) + 1) - (1 << 20), -20)
                            : ends[static_cast<std::size_t>(draws.below(static_cast<int>(ends.size())))]);
        const int depth = 1 + draws.below(deepest);
        check_upper(sample.code, {q, depth, draws.one_in(2), i}, z, epsilon[depth], make_policy, outcome);
    }
    return outcome.decision();
}

Decision theorem_1_schedule(const Sample& sample, const MakePolicy& make_policy) {
    require_depth(sample.code, deepest);
    Outcome outcome;
    for (unsigned support = 1; support < 16; ++support)
        for (int depth = 1; depth <= deepest; ++depth)
            for (const bool hadamard : {false, true}) {
                std::vector<double> q(4);
                for (unsigned i = 0; i < 4; ++i)
                    if ((support >> i & 1U) != 0) q[i] = (i + 1) / 8.0;
                check_schedule(sample.code, {q, depth, hadamard, sample.seed}, make_policy, outcome);
            }
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        Draws draws(sample.seed, i, schedule_stream);
        const auto d = static_cast<std::size_t>(1) << static_cast<unsigned>(draws.below(8));
        const int k = 1 + draws.below(static_cast<int>(d));
        const auto wide = [&] { return std::ldexp((1 + draws.below(8)) / 128.0, -draws.below(10)); };
        const std::vector<double> q = spread(draws, d, k, wide);
        check_schedule(sample.code, {q, 1 + draws.below(deepest), draws.one_in(2), i}, make_policy, outcome);
    }
    return outcome.decision();
}

} // namespace kvproof
