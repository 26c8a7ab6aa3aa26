// The checker's pieces about the probe model, against searches that try everything.

#include "probe_ball.hpp"
#include "probe_bayes.hpp"
#include "probe_encoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <random>

namespace {

using namespace kvcheck;

/// targets[x][y], each so many integers.
ProbeFamily family_of(std::size_t sources, std::size_t queries, std::size_t numbers,
                      std::vector<long> targets) {
    ProbeFamily family;
    family.sources = sources;
    family.queries = queries;
    family.numbers = numbers;
    family.unit = static_cast<unsigned long>(numbers);
    for (std::size_t y = 0; y < queries; ++y)
        for (std::size_t x = 0; x < sources; ++x)
            for (std::size_t k = 0; k < numbers; ++k)
                family.targets.emplace_back(targets[(x * queries + y) * numbers + k]);
    return family;
}

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    long below(long n) { return static_cast<long>(engine_() % static_cast<unsigned long>(n)); }
    ProbeFamily family(std::size_t numbers, long most_sources) {
        const auto sources = static_cast<std::size_t>(1 + below(most_sources));
        const auto queries = static_cast<std::size_t>(1 + below(3));
        std::vector<long> targets(sources * queries * numbers);
        for (long& t : targets) t = below(5) - 2;
        return family_of(sources, queries, numbers, targets);
    }

private:
    std::mt19937_64 engine_;
};

std::vector<std::size_t> members_of(std::size_t set) {
    std::vector<std::size_t> members;
    for (std::size_t x = 0; set >> x != 0; ++x) {
        if ((set >> x & 1) != 0) members.push_back(x);
    }
    return members;
}

TEST(ProbeFamily, NamesWithinBounds) {
    for (const char* name : {"hypercube:6", "sparse:6,6", "grid:6,2", "grid:1,64", "grid:2,8", "grid:3,4",
                             "hadamard:4", "attention:5", "pointer:4", "labels:0", "labels:01,az,00"})
        EXPECT_TRUE(read_family_name(name)) << name;
    for (const char* name : {"",
                             "hypercube",
                             "hypercube:",
                             "hypercube:0",
                             "hypercube:7",
                             "hypercube:-1",
                             "hypercube:1,",
                             "sparse:2,3",
                             "sparse:2,0",
                             "grid:2,9",
                             "grid:1,1",
                             "hadamard:8",
                             "hadamard:3",
                             "attention:6",
                             "attention:1",
                             "pointer:5",
                             "labels:",
                             "labels:01,",
                             "labels:01,0",
                             "labels:0A",
                             "labels:0.1",
                             "cuts:2,1",
                             "file:",
                             "hypercube:99999999999999999999999",
                             "Hypercube:2"})
        EXPECT_FALSE(read_family_name(name)) << name;
}

TEST(ProbeFamily, Targets) {
    Records none("\n");
    const ProbeFamily attention = read_family(*read_family_name("attention:2"), none);
    // Source 0 is (-1, -1, -1), source 1 (-1, -1, 1): for eta = -1 it asks for v1 with weight p.
    EXPECT_EQ(attention.sources, 8U);
    EXPECT_EQ(mpq_class(attention.target(0, 1)[0], attention.common), mpq_class(-22025, 22027));
    EXPECT_EQ(mpq_class(attention.target(1, 1)[0], attention.common), mpq_class(22025, 22027));
    const ProbeFamily sparse = read_family(*read_family_name("sparse:2,1"), none);
    EXPECT_EQ(sparse.queries, 4U);
    EXPECT_EQ(sparse.target(0, 1)[0], -1); // z = (-1, 1), y = (1, 0)
    EXPECT_EQ(sparse.target(2, 1)[0], 1);  // y = (0, 1)
}

TEST(ProbeBall, KnownRadii) {
    const auto radius = [](std::size_t numbers, std::vector<long> points) {
        const ProbeFamily family = family_of(points.size() / numbers, 1, numbers, points);
        std::vector<const mpz_class*> all;
        for (std::size_t x = 0; x < family.sources; ++x) all.push_back(family.target(0, x));
        return squared_radius(all, numbers);
    };
    EXPECT_EQ(radius(1, {3, -1, 0}), 4);
    EXPECT_EQ(radius(2, {5, 7}), 0);
    EXPECT_EQ(radius(2, {0, 0, 0, 0}), 0);
    EXPECT_EQ(radius(2, {0, 0, 4, 0, 1, 1}), 4);                 // obtuse: half the longest side
    EXPECT_EQ(radius(2, {0, 0, 2, 0, 1, 2}), mpq_class(25, 16)); // acute: the circumcircle
    EXPECT_EQ(radius(2, {0, 0, 2, 2, 1, 1, 3, 3}), mpq_class(9, 2));
    EXPECT_EQ(radius(3, {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}), 3); // a regular tetrahedron
}

TEST(ProbeBall, HellyHolds) {
    Random random(1);
    for (int round = 0; round < 200; ++round) {
        const auto numbers = static_cast<std::size_t>(1 + random.below(4));
        const ProbeFamily family = random.family(numbers, 8);
        mpq_class largest = 0;
        for (std::size_t set = 1; set < std::size_t{1} << family.sources; ++set) {
            if (static_cast<std::size_t>(std::popcount(set)) <= numbers + 1)
                largest = std::max(largest, set_loss(family, 0, members_of(set)));
        }
        EXPECT_EQ(set_loss(family, 0, members_of((std::size_t{1} << family.sources) - 1)), largest);
    }
}

TEST(ProbeConflicts, AreTheMinimalSets) {
    Random random(2);
    for (int round = 0; round < 100; ++round) {
        const auto numbers = static_cast<std::size_t>(1 + random.below(3));
        const ProbeFamily family = random.family(numbers, 6);
        const mpq_class value(1 + random.below(9), static_cast<unsigned long>(2 * numbers));
        std::vector<SourceSet> expected;
        for (SourceSet set = 1; set < SourceSet{1} << family.sources; ++set) {
            bool minimal = set_loss(family, 0, members_of(set)) >= value;
            for (const std::size_t x : members_of(set)) {
                const SourceSet smaller = set & ~(SourceSet{1} << x);
                if (smaller != 0 && set_loss(family, 0, members_of(smaller)) >= value) minimal = false;
            }
            if (minimal) expected.push_back(set);
        }
        std::sort(expected.begin(), expected.end(), [](SourceSet a, SourceSet b) {
            const auto key = [](SourceSet s) { return std::pair(std::popcount(s), members_of(s)); };
            return key(a) < key(b);
        });
        EXPECT_EQ(query_conflicts(family, 0, value), expected);
    }
}

/// The definition, word for word: whether the tree from `node` on can be read in so many batches.
bool fits(const Tree& tree, std::size_t node, unsigned batches) {
    if (node >= tree.addresses.size() || tree.addresses[node] == Tree::stop) return true;
    if (batches == 0) return false;
    std::vector<std::size_t> row = {node};
    while (row[0] < tree.addresses.size()) {
        for (const std::size_t p : row) {
            if (tree.addresses[p] == Tree::stop || tree.addresses[p] != tree.addresses[row[0]]) return false;
        }
        std::vector<std::size_t> next;
        for (const std::size_t p : row) next.insert(next.end(), {2 * p + 1, 2 * p + 2});
        row = next;
        if (std::all_of(row.begin(), row.end(), [&](std::size_t p) { return fits(tree, p, batches - 1); }))
            return true;
    }
    return false;
}

TEST(ProbeTree, FewestBatches) {
    Random random(3);
    for (int round = 0; round < 2000; ++round) {
        Tree tree{static_cast<unsigned>(1 + random.below(4)), {}};
        while (tree.addresses.size() + 1 < std::size_t{1} << tree.depth) {
            const std::size_t node = tree.addresses.size();
            const bool stops =
                random.below(12) == 0 || (node > 0 && tree.addresses[(node - 1) / 2] == Tree::stop);
            tree.addresses.push_back(stops ? Tree::stop : static_cast<int>(random.below(8) / 7));
        }
        unsigned fewest = 0;
        while (!fits(tree, 0, fewest)) ++fewest;
        EXPECT_EQ(tree.fewest_batches(), fewest);
    }
}

TEST(ProbeTree, ShapesAreTheDistinctCuts) {
    EXPECT_EQ(all_shapes(3, 1).size(), 1U);
    EXPECT_EQ(all_shapes(3, 2).size(), 2U);
    EXPECT_EQ(all_shapes(4, 3).size(), 5U);
    EXPECT_EQ(all_shapes(4, 4).size(), 1U);
    const std::vector<Shape> two = all_shapes(3, 2);
    EXPECT_EQ(two[0].slot_of, (std::vector<unsigned>{0, 1, 3, 2, 2, 4, 4}));
    EXPECT_EQ(two[0].begins_batch, (std::vector<bool>{true, true, false, true, false}));
    EXPECT_EQ(two[1].slot_of, (std::vector<unsigned>{0, 1, 1, 2, 3, 4, 5}));
    EXPECT_THROW((void)all_shapes(9, 5), TooLarge);
    EXPECT_THROW((void)all_shapes(16, 9), TooLarge);
}

TEST(ProbeEncoding, OneConflictOneProbe) {
    // Two sources, two bits, one probe: z is 1 to 4, a is 5 and 6, there is no t.
    const Encoding encoding(2, {{3}}, Access{true, 1}, 2, 1);
    EXPECT_EQ(encoding.variables(), 6);
    const std::vector<Clause> expected = {{-1},       {-3},         {-2, 4},    {5, 6},
                                          {-5, 1, 2}, {-5, -1, -2}, {-6, 3, 4}, {-6, -3, -4}};
    ASSERT_EQ(encoding.clauses(), static_cast<long>(expected.size()));
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(encoding.clause(static_cast<long>(k) + 1), expected[k]);
}

TEST(ProbeEncoding, LeastRecords) {
    // Four sources, two bits, one probe: z is 1 to 8, a is 9 and 10; the columns have 11 and 12, the
    // exchange 13.
    Encoding encoding(4, {{3}}, Access{true, 1}, 2, 1);
    const long plain = encoding.clauses();
    std::size_t left = 4;
    EXPECT_TRUE(encoding.keeps_lists({0, 1, 3, 2}, left));
    EXPECT_TRUE(encoding.keeps_lists({1, 0, 2, 3}, left));
    EXPECT_FALSE(encoding.keeps_lists({2, 1, 0, 3}, left));
    EXPECT_FALSE(encoding.keeps_lists({1, 2, 3, 0}, left));
    EXPECT_THROW((void)encoding.keeps_lists({0, 1, 3, 2}, left), TooLarge);
    encoding.require_least({{0, 1, 3, 2}});
    EXPECT_EQ(encoding.variables(), 13);
    const std::vector<Clause> expected = {{-2, 6},      {6, 11},       {-2, 11},     {-11, -3, 7},
                                          {-11, 7, 12}, {-11, -3, 12}, {-12, -4, 8}, {-3, 4},
                                          {4, 13},      {-3, 13},      {-13, -7, 8}};
    ASSERT_EQ(encoding.clauses(), plain + static_cast<long>(expected.size()));
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(encoding.clause(plain + 1 + static_cast<long>(k)), expected[k]);
}

/// The least of all encoders' sums of the best trees' losses, trees from the definition of a batch.
class Brute {
public:
    Brute(const ProbeFamily& family, const std::vector<WeightedPair>& prior) : family_(family) {
        for (const WeightedPair& pair : prior) weight_[{pair.x, pair.y}] = pair.weight;
    }

    mpq_class least(const Access& access, unsigned w, unsigned r) {
        std::vector<unsigned> records(family_.sources, 0);
        std::optional<mpq_class> best;
        while (true) {
            const mpq_class loss = encoder_loss(records, access, w, r);
            if (!best || loss < *best) best = loss;
            std::size_t x = 0;
            while (x < records.size() && ++records[x] == 1U << w) records[x++] = 0;
            if (x == records.size()) break;
        }
        mpz_class total;
        for (const auto& [at, weight] : weight_) total += weight;
        return *best / (total * family_.unit);
    }

private:
    mpq_class encoder_loss(const std::vector<unsigned>& records, const Access& access, unsigned w,
                           unsigned r) {
        std::vector<std::size_t> all;
        for (std::size_t x = 0; x < records.size(); ++x) all.push_back(x);
        std::vector<std::vector<std::size_t>> groups;
        mpq_class sum;
        for (std::size_t y = 0; y < family_.queries; ++y) {
            groups.push_back({y});
            if (access.sees_query) sum += tree_loss(records, {y}, all, w, r, access.batches);
        }
        if (access.sees_query) return sum;
        std::vector<std::size_t> every;
        for (const auto& group : groups) every.push_back(group[0]);
        return tree_loss(records, every, all, w, r, access.batches);
    }

    mpq_class tree_loss(const std::vector<unsigned>& records, const std::vector<std::size_t>& queries,
                        const std::vector<std::size_t>& members, unsigned w, unsigned r, unsigned batches) {
        mpq_class best = leaf_loss(queries, members);
        if (batches == 0) return best;
        for (unsigned batch = 1; batch < 1U << w; ++batch) {
            const auto size = static_cast<unsigned>(std::popcount(batch));
            if (size > r) continue;
            std::map<unsigned, std::vector<std::size_t>> parts;
            for (const std::size_t x : members) parts[records[x] & batch].push_back(x);
            mpq_class sum;
            for (const auto& [bits, part] : parts)
                sum += tree_loss(records, queries, part, w, r - size, batches - 1);
            best = std::min(best, sum);
        }
        return best;
    }

    mpq_class leaf_loss(const std::vector<std::size_t>& queries, const std::vector<std::size_t>& members) {
        mpq_class sum;
        for (const std::size_t y : queries) {
            for (std::size_t k = 0; k < family_.numbers; ++k) {
                mpz_class weight;
                mpz_class first;
                for (const std::size_t x : members) {
                    weight += weight_[{x, y}];
                    first += weight_[{x, y}] * family_.target(y, x)[k];
                }
                if (weight == 0) continue;
                mpq_class mean(first, weight);
                mean.canonicalize();
                for (const std::size_t x : members) {
                    const mpq_class error = mean - family_.target(y, x)[k];
                    sum += weight_[{x, y}] * error * error;
                }
            }
        }
        return sum;
    }

    const ProbeFamily& family_;
    std::map<std::pair<std::size_t, std::size_t>, mpz_class> weight_;
};

TEST(ProbeBayes, LeastLossOfAllProtocols) {
    Random random(4);
    for (int round = 0; round < 60; ++round) {
        const ProbeFamily family = random.family(static_cast<std::size_t>(1 + random.below(2)), 4);
        std::vector<WeightedPair> prior;
        const long huge =
            random.below(4) == 0 ? 1000000007 : 1; // too large for a common denominator in a word
        for (std::size_t x = 0; x < family.sources; ++x) {
            for (std::size_t y = 0; y < family.queries; ++y) {
                if (random.below(4) > 0)
                    prior.push_back({x, y, mpz_class(1 + random.below(5)) * huge + random.below(huge)});
            }
        }
        if (prior.empty()) prior.push_back({0, 0, 1});
        const Access access{random.below(2) == 0,
                            random.below(2) == 0 ? 100 : static_cast<unsigned>(1 + random.below(2))};
        const auto w = static_cast<unsigned>(random.below(4));
        const auto r = static_cast<unsigned>(random.below(4));
        Access path = access;
        if (!access.sees_query) path.batches = 100; // blind readers gain nothing from batches
        EXPECT_EQ(least_expected_loss(family, access, w, r, prior), Brute(family, prior).least(path, w, r))
            << round << " " << w << " " << r;
    }
}

TEST(ProbeBayes, RefusesLargeSearches) {
    const ProbeFamily family = family_of(17, 1, 1, std::vector<long>(17, 0));
    std::vector<WeightedPair> prior;
    for (std::size_t x = 0; x < 17; ++x) prior.push_back({x, 0, 1});
    EXPECT_THROW((void)least_expected_loss(family, {false, 1}, 1, 1, prior), TooLarge);
    prior.pop_back();
    EXPECT_EQ(least_expected_loss(family, {false, 1}, 1, 1, prior), 0);
    EXPECT_EQ(least_expected_loss(family, {true, 1}, 2, 1, prior), 0); // one query: partitions
    const ProbeFamily two = family_of(16, 2, 1, std::vector<long>(32, 0));
    for (std::size_t x = 0; x < 16; ++x) prior[x].y = x % 2;
    EXPECT_THROW((void)least_expected_loss(two, {true, 1}, 2, 1, prior), TooLarge);
    EXPECT_EQ(least_expected_loss(two, {true, 1}, 1, 1, prior), 0);
}

} // namespace
