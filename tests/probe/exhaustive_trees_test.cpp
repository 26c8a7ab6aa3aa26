// The best tree for a given record against all trees that the batches allow, sums and maxima.
#include "sim/probe/tree_search.hpp"
#include "tests/probe/probe_trees.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using Table = std::vector<std::uint32_t>;
using Cuts = std::vector<std::uint32_t>;

/// The loss of one tree: what a reader does, record by record.
template <class Join>
std::uint32_t loss_of(const ProbeTree& tree, const Table& table, const Cuts& cuts, int sources) {
    std::vector<std::uint32_t> sets(std::size_t{1} << tree.depth);
    for (int x = 0; x < sources; ++x) {
        std::uint32_t record = 0;
        for (std::size_t i = 0; i < cuts.size(); ++i) record |= (cuts[i] >> x & 1U) << i;
        sets[static_cast<std::size_t>(tree.leaf(record))] |= 1U << x;
    }
    std::uint32_t loss = 0;
    for (const std::uint32_t set : sets) loss = Join::join(loss, table[set]);
    return loss;
}

template <class Join>
std::uint32_t least_of_all(const Table& table, const Cuts& cuts, int sources, int batches, int probes) {
    std::uint32_t best = ~0U;
    for (const Heap& heap : trees_of(probes, static_cast<int>(cuts.size()), batches))
        best = std::min(best, loss_of<Join>({probes, heap}, table, cuts, sources));
    return best;
}

struct Case {
    int sources;
    std::vector<int> targets;
    Cuts cuts;
};

Case drawn(int bits) {
    Case out{*rc::gen::element(5, 6, 7, 8), {}, {}};
    for (int x = 0; x < out.sources; ++x) out.targets.push_back(*rc::gen::element(0, 1, 2, 3, 4, 5, 6, 7));
    for (int i = 0; i < bits; ++i)
        out.cuts.push_back(*rc::gen::resize(100, rc::gen::inRange<std::uint32_t>(0, 1U << out.sources)));
    return out;
}

/// The range of each set, or the sum of its squared differences: parts lose no more, there one by one, here
/// together.
template <class Join>
Table table_of(const Case& given) {
    Table out;
    for (std::uint32_t set = 0; set < 1U << given.sources; ++set) {
        std::uint32_t loss = 0;
        for (int i = 0; i < given.sources; ++i)
            for (int j = 0; j < i; ++j) {
                const int apart = std::abs(given.targets[i] - given.targets[j]);
                if ((set >> i & set >> j & 1U) != 0) loss = Join::join(loss, std::uint32_t(apart * apart));
            }
        out.push_back(loss);
    }
    return out;
}

template <class Join>
bool agrees(const Case& given, int batches, int probes) {
    const int sources = given.sources;
    const Cuts& cuts = given.cuts;
    const Table table = table_of<Join>(given);
    const TreeSearch<Join, std::uint32_t> search(table, cuts);
    const auto everyone = (1U << sources) - 1;
    const std::uint32_t best = search.loss(everyone, 0, batches, probes);
    ProbeTree tree{probes, std::vector<int>((std::size_t{1} << probes) - 1, ProbeTree::stop)};
    search.write(everyone, 0, batches, probes, 0, tree);
    return best == least_of_all<Join>(table, cuts, sources, batches, probes) &&
           loss_of<Join>(tree, table, cuts, sources) == best && tree.batches() <= batches;
}

RC_GTEST_PROP(TreeSearch, is_the_best_of_all_trees, ()) {
    const auto up_to = [](int most) { return *rc::gen::resize(100, rc::gen::inRange(1, most + 1)); };
    const int bits = up_to(4);
    const int probes = up_to(std::min(bits, 3));
    const int batches = up_to(bits == 4 ? std::min(probes, 2) : probes); // else 400 000 trees
    RC_ASSERT(agrees<Worst>(drawn(bits), batches, probes));
    RC_ASSERT(agrees<Total>(drawn(bits), batches, probes));
}

/// Two bits say, together, which of two others tells the rest: only a first batch of two finds it.
TEST(TreeSearch, a_first_batch_of_two) {
    Case given{8, {0, 1, 2, 3, 4, 5, 6, 7}, Cuts(4)};
    for (std::uint32_t x = 0; x < 8; ++x) {
        const std::uint32_t s = x & 1U;
        const std::uint32_t t = x >> 1U & 1U;
        const std::uint32_t b = x >> 2U;
        given.cuts[0] |= s << x;
        given.cuts[1] |= t << x;
        given.cuts[2] |= (s == t ? b : 0) << x;
        given.cuts[3] |= (s != t ? b : 0) << x;
    }
    const Table table = table_of<Worst>(given);
    const TreeSearch<Worst, std::uint32_t> search(table, given.cuts);
    EXPECT_GT(search.loss(255, 0, 1, 3), 0U);
    EXPECT_EQ(search.loss(255, 0, 2, 3), 0U);
    for (int batches = 1; batches <= 2; ++batches) EXPECT_TRUE(agrees<Worst>(given, batches, 3));
}

} // namespace
