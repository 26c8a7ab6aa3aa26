// The groups of least distortion within a budget, against all partitions.
#include "lib/codec/bit_plan.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;

namespace {

using Key = std::tuple<std::size_t, std::size_t, int>;

/// Distortions that are whole numbers, so that sums are exact and the order of additions does not show.
struct Problem {
    std::size_t n = 0;
    std::uint64_t budget = 0;
    GroupMenu menu;
    std::map<Key, double> distortions;

    [[nodiscard]] double distortion(const CoordinateGroup& group) const {
        return distortions.at({group.first, group.size, group.bits});
    }
    [[nodiscard]] BitPlan best() const {
        return best_bit_plan(n, budget, menu, [this](const CoordinateGroup& g) { return distortion(g); });
    }
};

Problem random_problem(std::uint64_t seed) {
    std::mt19937_64 next(seed);
    Problem out;
    out.n = 1 + next() % 7;
    out.menu.sizes = {1};
    for (const std::size_t size : {2, 3, 5})
        if (next() % 2 == 0) out.menu.sizes.push_back(size);
    out.menu.bits = {0};
    for (const int bits : {1, 2, 4, 8})
        if (next() % 2 == 0) out.menu.bits.push_back(bits);
    out.menu.field_bits = next() % 6;
    out.budget = next() % 50;
    const std::uint64_t most = next() % 2 == 0 ? 4 : 1000; // few values: ties
    for (std::size_t first = 0; first < out.n; ++first)
        for (const std::size_t size : out.menu.sizes)
            for (const int bits : out.menu.bits)
                out.distortions[{first, size, bits}] = static_cast<double>(next() % most);
    return out;
}

struct Best {
    double distortion = std::numeric_limits<double>::infinity();
    std::uint64_t bits = 0;
};

/// All partitions and types, one after the other.
void look(const Problem& problem, std::size_t at, double distortion, std::uint64_t bits, Best& best) {
    if (bits > problem.budget) return;
    if (at == problem.n) {
        if (std::pair(distortion, bits) < std::pair(best.distortion, best.bits)) best = {distortion, bits};
        return;
    }
    for (const std::size_t size : problem.menu.sizes)
        for (const int b : problem.menu.bits)
            if (at + size <= problem.n)
                look(problem, at + size, distortion + problem.distortion({at, size, b}),
                     bits + problem.menu.cost(size, b), best);
}

RC_GTEST_PROP(BitPlan, is_the_best_of_all_partitions, (std::uint64_t seed)) {
    const Problem problem = random_problem(seed);
    const BitPlan plan = problem.best();
    Best best;
    look(problem, 0, 0, 0, best);
    RC_ASSERT(plan.distortion == best.distortion);
    RC_ASSERT(plan.bits == best.bits);
    // and the plan is what it says
    std::size_t at = 0;
    double distortion = 0;
    std::uint64_t bits = 0;
    for (const CoordinateGroup& group : plan.groups) {
        RC_ASSERT(group.first == at);
        at += group.size;
        distortion += problem.distortion(group);
        bits += problem.menu.cost(group.size, group.bits);
    }
    RC_ASSERT(at == problem.n);
    RC_ASSERT(distortion == plan.distortion);
    RC_ASSERT(bits == plan.bits);
    RC_ASSERT(bits <= problem.budget);
}

/// The mutant: taking the group that pays best for its bits, one after the other, is not optimal.
TEST(BitPlan, greedy_choices_are_not_enough) {
    int better = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Problem problem = random_problem(seed);
        double greedy = 0;
        std::uint64_t bits = 0;
        for (std::size_t at = 0; at < problem.n;) {
            std::size_t step = 1;
            double added = problem.distortion({at, 1, 0});
            std::uint64_t cost = 0;
            for (const std::size_t size : problem.menu.sizes)
                for (const int b : problem.menu.bits) {
                    if (at + size > problem.n || bits + problem.menu.cost(size, b) > problem.budget) continue;
                    const double found = problem.distortion({at, size, b});
                    if (found / static_cast<double>(size) >= added / static_cast<double>(step)) continue;
                    step = size;
                    added = found;
                    cost = problem.menu.cost(size, b);
                }
            at += step;
            bits += cost;
            greedy += added;
        }
        const double best = problem.best().distortion;
        EXPECT_LE(best, greedy) << seed;
        better += best < greedy ? 1 : 0;
    }
    EXPECT_GT(better, 20);
}

/// More budget never hurts, none is nothing but zeros, and a group that does not fit is no option.
TEST(BitPlan, budgets_and_sizes_at_the_edges) {
    const GroupMenu menu{{1, 16, 64}, {0, 2, 4, 8}, 32};
    const auto distortion = [](const CoordinateGroup& g) {
        double sum = 0;
        for (std::size_t i = g.first; i < g.first + g.size; ++i)
            sum += static_cast<double>(1 << 20) / static_cast<double>((i + 1) << (2 * g.bits));
        return sum;
    };
    double before = std::numeric_limits<double>::infinity();
    for (const std::uint64_t budget : {0, 33, 34, 64, 100, 200, 400, 1000, 10000}) {
        const BitPlan plan = best_bit_plan(70, budget, menu, distortion); // neither 16 nor 64 divides 70
        EXPECT_LE(plan.distortion, before);
        EXPECT_LE(plan.bits, budget);
        before = plan.distortion;
        if (budget < 34)
            for (const CoordinateGroup& group : plan.groups) EXPECT_EQ(group.bits, 0);
        else
            EXPECT_GT(plan.bits, 0U);
    }
    // 8 bits for all: with one group of 64, none of 16 fits the rest
    const BitPlan all = best_bit_plan(70, 70 * 40, menu, [](const CoordinateGroup& g) {
        return static_cast<double>(g.size) * (g.bits == 8 ? 0 : 1);
    });
    EXPECT_EQ(all.distortion, 0);
    EXPECT_EQ(all.bits, 7 * 32U + 70 * 8U);
}

} // namespace
