#include "sim/probe/bayes.hpp"

#include "sim/probe/partition.hpp"
#include "sim/probe/symmetry.hpp"
#include "symmetry_families.hpp"
#include "tests/probe/random_family.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kvproof {
namespace {

using testing_support::Budget;
using testing_support::some_budget;

/// All complete trees of a depth over w addresses.
std::vector<ProbeTree> all_trees(int depth, int bits) {
    const std::size_t nodes = (std::size_t{1} << static_cast<unsigned>(depth)) - 1;
    std::vector<ProbeTree> out = {{depth, std::vector<int>(nodes)}};
    for (std::size_t p = 0; p < nodes; ++p) {
        std::vector<ProbeTree> more;
        for (const ProbeTree& tree : out)
            for (int address = 0; address < bits; ++address) {
                more.push_back(tree);
                more.back().addresses[p] = address;
            }
        out = std::move(more);
    }
    return out;
}

Prior of_query(const Family& family, const Prior& prior, int y) {
    Prior out = prior;
    for (std::size_t pair = 0; pair < out.weights.size(); ++pair)
        if (static_cast<int>(pair) % family.queries != y) out.weights[pair] = 0;
    return out;
}

/// Every encoder with every tree for each query; a protocol's loss is taken from the means of its leaves.
Rational by_brute_force(const Family& family, const Prior& prior, const AccessClass& access, int bits,
                        int probes) {
    std::vector<ProbeTree> trees;
    for (const ProbeTree& tree : all_trees(std::min(bits, probes), bits))
        if (tree.batches() <= access.batches) trees.push_back(tree);
    Protocol protocol{bits, std::vector<std::uint32_t>(static_cast<std::size_t>(family.sources)), {}};
    Rational best = -1;
    const auto try_encoder = [&] {
        Rational loss = 0;
        if (access.sees_query) {
            for (int y = 0; y < family.queries; ++y) {
                const Prior one = of_query(family, prior, y);
                if (one.total() == 0) continue;
                Rational least = -1;
                for (const ProbeTree& tree : trees) {
                    protocol.trees = {tree};
                    const Rational of_tree = bayes_loss(protocol, family, one);
                    if (least < 0 || of_tree < least) least = of_tree;
                }
                loss += least * Rational(one.total()) / Rational(prior.total());
            }
        } else {
            loss = -1;
            for (const ProbeTree& tree : trees) {
                protocol.trees = {tree};
                const Rational of_tree = bayes_loss(protocol, family, prior);
                if (loss < 0 || of_tree < loss) loss = of_tree;
            }
        }
        if (best < 0 || loss < best) best = loss;
    };
    const auto encoders = [&](const auto& self, std::size_t x) -> void {
        if (x == protocol.records.size()) {
            try_encoder();
            return;
        }
        for (std::uint32_t record = 0; (record >> static_cast<unsigned>(bits)) == 0; ++record) {
            protocol.records[x] = record;
            self(self, x + 1);
        }
    };
    encoders(encoders, 0);
    return best;
}

Prior some_prior(const Family& family) {
    Prior out;
    for (int pair = 0; pair < family.sources * family.queries; ++pair)
        out.weights.emplace_back(*rc::gen::inRange(0, 4));
    out.weights[0] += 1;
    return out;
}

Prior uniform(const Family& family) {
    return {std::vector<Integer>(static_cast<std::size_t>(family.sources * family.queries), 1)};
}

} // namespace

// By hand: nothing read leaves each of d fair signs its variance, 1 over the scale d.
TEST(Bayes, UniformHypercubes) {
    const AccessClass blind = parse_access_class("oblivious");
    const AccessClass once = parse_access_class("staged:1");
    for (const int d : {2, 3, 4}) {
        const Family family = make_family("hypercube:" + std::to_string(d));
        EXPECT_EQ(least_bayes_loss(family, uniform(family), blind, d, 0).loss, Rational(1, d));
        EXPECT_EQ(least_bayes_loss(family, uniform(family), blind, d, d).loss, 0);
        EXPECT_EQ(least_bayes_loss(family, uniform(family), once, d, 0).loss, Rational(1, d));
    }
    // one bit b: the squares of the means of z_i given b add to at most 1 (Parseval), which one sign reaches
    for (const int d : {2, 3, 4}) {
        const Family family = make_family("hypercube:" + std::to_string(d));
        EXPECT_EQ(least_bayes_loss(family, uniform(family), blind, 1, 1).loss, Rational(d - 1, d * d));
    }
}

RC_GTEST_PROP(Bayes, AgreesWithBruteForce, ()) {
    const Family family = *tiny_family(4, 2, 2);
    const Prior prior = some_prior(family);
    const Budget budget = some_budget(family.sources > 3 ? 2 : 3);
    const LeastBayesLoss found =
        least_bayes_loss(family, prior, budget.access, budget.bits, budget.probes, {.most_protocols = 100});
    RC_ASSERT(found.loss == by_brute_force(family, prior, budget.access, budget.bits, budget.probes));
    RC_ASSERT(found.at_least == found.loss);
    RC_ASSERT(!found.protocols.empty());
    for (const Protocol& protocol : found.protocols) {
        require_within(protocol, family, budget.access, budget.bits, budget.probes);
        RC_ASSERT(bayes_loss(protocol, family, prior) == found.loss);
    }
}

RC_GTEST_PROP(Bayes, AGuessIsAProtocolAndItsFloorIsSafe, ()) {
    const Family family = *tiny_family(5, 3);
    const Prior prior = some_prior(family);
    const Budget budget = some_budget(3);
    const auto exact = least_bayes_loss(family, prior, budget.access, budget.bits, budget.probes);
    const auto guess =
        least_bayes_loss(family, prior, budget.access, budget.bits, budget.probes, {.exact = false});
    RC_ASSERT(guess.protocols.size() == 1U);
    RC_ASSERT(bayes_loss(guess.protocols[0], family, prior) == guess.loss);
    RC_ASSERT(guess.at_least <= exact.loss);
    RC_ASSERT(exact.loss <= guess.loss);
    RC_ASSERT(guess.loss - guess.at_least < Rational(1, 1000000));
}

RC_GTEST_PROP(Bayes, SymmetriesOfThePriorChangeNothing, ()) {
    const Family family = distinct_queries(*tiny_family(5, 3)).family;
    const PairOrbits orbits = pair_orbits(family, symmetries(family));
    std::vector<Integer> of_orbit;
    for (std::size_t i = 0; i < orbits.sizes.size(); ++i) of_orbit.emplace_back(*rc::gen::inRange(0, 3));
    of_orbit[0] += 1;
    Prior prior;
    for (const int orbit : orbits.of) prior.weights.push_back(of_orbit[static_cast<std::size_t>(orbit)]);
    const Budget budget = some_budget(3);
    const auto plain = least_bayes_loss(family, prior, budget.access, budget.bits, budget.probes);
    const auto quick = least_bayes_loss(family, prior, budget.access, budget.bits, budget.probes,
                                        {.symmetries = source_symmetries(family)});
    RC_ASSERT(plain.loss == quick.loss);
}

// Partitions of five sources into at most three sets: 1 + 15 + 25, each once.
TEST(Bayes, PartitionsAreVisitedOnce) {
    const std::vector<std::int64_t> nothing(32);
    const PartitionSearch search(nothing, 5, 3);
    std::vector<std::vector<std::uint32_t>> seen;
    search.visit(0, [&](const auto& partition) {
        seen.push_back(partition);
        return false;
    });
    std::ranges::sort(seen);
    EXPECT_EQ(seen.size(), 41U);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

TEST(Bayes, AStoppedSearchHasNoProtocol) {
    const Family family = make_family("sparse:3,2");
    const auto stopped = least_bayes_loss(family, uniform(family), parse_access_class("branching"), 3, 2,
                                          {.stop = [] { return true; }});
    EXPECT_TRUE(stopped.protocols.empty());
    EXPECT_FALSE(can_search(make_family("sparse:4,2"), parse_access_class("branching"), 4, 2, {}));
    EXPECT_TRUE(can_search(make_family("sparse:4,2"), parse_access_class("oblivious"), 4, 2, {}));
}

} // namespace kvproof
