#include "sim/probe/column.hpp"

#include "sim/probe/mixture.hpp"
#include "symmetry_families.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kvproof {
namespace {

Prior some_weights(const Family& family, int least) {
    Prior out;
    for (int pair = 0; pair < family.sources * family.queries; ++pair)
        out.weights.emplace_back(*rc::gen::inRange(least, 5));
    out.weights[0] += 1;
    return out;
}

/// Two bits, of which each query reads one.
Protocol some_protocol(const Family& family) {
    Protocol out{2, {}, {}};
    for (int x = 0; x < family.sources; ++x)
        out.records.push_back(static_cast<std::uint32_t>(*rc::gen::inRange(0, 4)));
    for (int y = 0; y < family.queries; ++y) out.trees.push_back({1, {*rc::gen::inRange(-1, 2)}});
    return out;
}

} // namespace

RC_GTEST_PROP(Column, ASymmetryMovesItsLosses, ()) {
    const char* name = *rc::gen::element("hypercube:3", "sparse:3,2", "pointer:2", "attention:2");
    const Family family = distinct_queries(make_family(name)).family;
    const Column column =
        with_means(some_protocol(family), family, some_weights(family, 0), some_weights(family, 1));
    const std::vector<Symmetry> group = symmetries(family);
    const Symmetry& symmetry = group[*rc::gen::inRange<std::size_t>(0, group.size())];
    const std::vector<Rational> before = losses(column, family);
    const std::vector<Rational> after = losses(moved(column, family, symmetry), family);
    const auto queries = static_cast<std::size_t>(family.queries);
    for (std::size_t x = 0; x < before.size() / queries; ++x)
        for (std::size_t y = 0; y < queries; ++y)
            RC_ASSERT(before[x * queries + y] ==
                      after[static_cast<std::size_t>(symmetry.sources[x]) * queries +
                            static_cast<std::size_t>(symmetry.queries[y])]);
}

RC_GTEST_PROP(Column, MeansLoseTheBayesLossAndRoundedOnesHardlyMore, ()) {
    const Family family = *tiny_family(5, 3, 2);
    const Prior prior = some_weights(family, 0);
    const Prior otherwise = some_weights(family, 1);
    const Protocol protocol = some_protocol(family);
    const auto expected = [&](int round) {
        const auto of_pair = losses(with_means(protocol, family, prior, otherwise, round), family);
        Rational sum = 0;
        for (std::size_t pair = 0; pair < of_pair.size(); ++pair)
            sum += of_pair[pair] * Rational(prior.weights[pair]);
        return Rational(sum / Rational(prior.total()));
    };
    RC_ASSERT(expected(0) == bayes_loss(protocol, family, prior));
    RC_ASSERT(expected(0) <= expected(20));
    RC_ASSERT(expected(20) - expected(0) < Rational(1, 1000000));
}

// The losses from weights of sources, and those from records, trees and answers.
RC_GTEST_PROP(Column, WrittenOutForAllQueriesItLosesTheSame, ()) {
    const Family family = make_family(*rc::gen::element("hypercube:2", "sparse:3,2", "labels:110,001"));
    const QueryClasses classes = distinct_queries(family);
    const Column column = with_means(some_protocol(classes.family), classes.family,
                                     some_weights(classes.family, 0), some_weights(classes.family, 1));
    const Column whole = for_all_queries(column, classes, true);
    const std::vector<Rational> few = losses(column, classes.family);
    const std::vector<Rational> all =
        expected_losses(family, std::vector<WeightedProtocol>{{3, whole.protocol, answers(whole, family)}});
    for (int x = 0; x < family.sources; ++x)
        for (int y = 0; y < family.queries; ++y)
            RC_ASSERT(all[static_cast<std::size_t>(x * family.queries + y)] ==
                      few[static_cast<std::size_t>(x * classes.family.queries +
                                                   classes.class_of[static_cast<std::size_t>(y)])]);
}

} // namespace kvproof
