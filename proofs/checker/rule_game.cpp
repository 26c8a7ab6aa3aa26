#include "probe_bayes.hpp"
#include "probe_conflicts.hpp"
#include "rules.hpp"

#include <algorithm>

namespace kvcheck {
namespace {

/// `WORD N` with N from `least` on.
mpz_class read_count(Records& records, std::string_view word, int least) {
    std::optional<mpz_class> n = read_integer(records.take(word, 1)[0]);
    if (!n || *n < least) records.bad();
    return *n;
}

std::vector<WeightedPair> read_prior(Records& records, const ProbeFamily& family) {
    std::vector<WeightedPair> prior;
    for (mpz_class left = read_count(records, "prior", 0); left > 0; --left) {
        const auto fields = records.take("pair", 3);
        const std::optional<mpz_class> x = read_integer(fields[0]);
        const std::optional<mpz_class> y = read_integer(fields[1]);
        const std::optional<mpz_class> weight = read_integer(fields[2]);
        if (!x || !y || !weight || *x < 0 || *x >= family.sources || *y < 0 || *y >= family.queries ||
            *weight < 1)
            records.bad();
        const WeightedPair pair{x->get_ui(), y->get_ui(), *weight};
        if (!prior.empty() && std::pair(pair.x, pair.y) <= std::pair(prior.back().x, prior.back().y))
            records.bad();
        prior.push_back(pair);
    }
    return prior;
}

/// Reads a mixture: the largest expected loss of a pair.
mpq_class read_mixture(Records& records, const ProbeFamily& family, const Access& access, unsigned w,
                       unsigned r) {
    std::vector<mpq_class> expected(family.queries * family.sources);
    mpz_class total = 0;
    const std::size_t leaves = std::size_t{1} << std::min(w, r);
    for (mpz_class left = read_count(records, "mixture", 1); left > 0; --left) {
        const mpz_class weight = read_count(records, "weight", 1);
        total += weight;
        const Protocol protocol = read_protocol(records, family, access, w, r);
        for (std::size_t y = 0; y < family.queries; ++y) {
            std::vector<mpq_class> answers;
            for (const std::string_view field : records.take("answers", leaves * family.numbers)) {
                const std::optional<mpq_class> answer = read_rational(field);
                if (!answer) records.bad();
                answers.emplace_back(*answer * family.common);
            }
            for (std::size_t x = 0; x < family.sources; ++x) {
                const mpq_class* answer = &answers[protocol.leaf(x, y) * family.numbers];
                mpq_class loss;
                for (std::size_t k = 0; k < family.numbers; ++k) {
                    const mpq_class error = answer[k] - family.target(y, x)[k];
                    loss += error * error;
                }
                expected[y * family.sources + x] += weight * loss;
            }
        }
    }
    return *std::max_element(expected.begin(), expected.end()) / (total * family.unit);
}

} // namespace

void check_probe_game(Check& check, const ProbePart& part) {
    Records& records = check.records;
    const ProbeFamily family = read_family(part.family, records);
    const Access access = *read_access(part.access);
    const std::vector<WeightedPair> prior = read_prior(records, family);
    try {
        const mpq_class least =
            prior.empty() ? mpq_class(0) : least_expected_loss(family, access, part.w, part.r, prior);
        if (least != part.value) records.bad_witness(); // without a prior: losses are not negative
    } catch (const TooLarge&) {
        throw Invalid{records.line(), "too_large"};
    }
    if (read_mixture(records, family, access, part.w, part.r) != part.upper) records.bad_witness();
}

} // namespace kvcheck
