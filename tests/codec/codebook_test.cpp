#include "lib/codec/codebook.hpp"

#include "lib/codec/lloyd_tree.hpp"
#include "tests/codec/codebook_generator.hpp"
#include "tests/record/refusal.hpp"

#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// The cell by definition: how many boundaries are not above z.
std::uint32_t cell_of(const std::vector<float>& boundaries, float z) {
    return static_cast<std::uint32_t>(std::ranges::count_if(boundaries, [&](float b) { return b <= z; }));
}

std::uint32_t nearest_centroid(const std::vector<float>& centroids, float z) {
    const auto closer = [&](float a, float b) { return std::fabs(double{a} - z) < std::fabs(double{b} - z); };
    return static_cast<std::uint32_t>(std::ranges::min_element(centroids, closer) - centroids.begin());
}

/// The first levels of a codebook.
Codebook<float> cut(Codebook<float> codebook, int depth) {
    codebook.boundaries.resize(depth + 1);
    codebook.centroids.resize(depth + 1);
    return codebook;
}

/// Numbers that matter to a codebook: its boundaries, their neighbours, its centroids, infinities, others.
std::vector<float> probes_of(const Codebook<float>& codebook, std::mt19937_64& next) {
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> out = {-infinity, infinity, 0.0F, -0.0F};
    for (const float b : codebook.boundaries.back())
        out.insert(out.end(), {b, std::nextafter(b, -infinity), std::nextafter(b, infinity)});
    out.insert(out.end(), codebook.centroids.back().begin(), codebook.centroids.back().end());
    for (int i = 0; i < 50; ++i) out.push_back(hard_float(next));
    return out;
}

RC_GTEST_PROP(CodebookProperty, a_walk_down_the_tree_is_a_search_of_the_intervals, ()) {
    std::mt19937_64 next(*rc::gen::arbitrary<std::uint64_t>());
    const int depth = *rc::gen::inRange(1, 9);
    const Codebook<float> codebook = random_codebook(depth, next);
    require_valid(codebook, "random");
    for (const float z : probes_of(codebook, next)) {
        const std::uint32_t code = encode(codebook, z);
        for (int t = 0; t <= depth; ++t) {
            const std::uint32_t prefix = code >> (depth - t);
            RC_ASSERT(prefix == cell_of(codebook.boundaries[t], z));
            RC_ASSERT(prefix == encode(cut(codebook, t), z)); // the first t bits are the code of depth t
            RC_ASSERT(decode(codebook, code, t) == codebook.centroids[t][prefix]);
        }
    }
}

RC_GTEST_PROP(CodebookProperty, codes_are_monotone_and_all_used, ()) {
    std::mt19937_64 next(*rc::gen::arbitrary<std::uint64_t>());
    const int depth = *rc::gen::inRange(1, 9);
    const Codebook<float> codebook = random_codebook(depth, next);
    std::vector<float> probes = probes_of(codebook, next);
    std::ranges::sort(probes);
    std::set<std::uint32_t> codes;
    std::uint32_t last = 0;
    for (const float z : probes) {
        const std::uint32_t code = encode(codebook, z);
        RC_ASSERT(code >= last);
        codes.insert(last = code);
    }
    RC_ASSERT(codes.size() == codebook.centroids.back().size());
}

TEST(Codebook, the_naive_tree_of_these_tests_is_the_lloyd_tree) {
    const Codebook<float> naive = naive_lloyd_tree(8);
    const Codebook<float> certified = float32_codebook(8);
    for (int t = 0; t <= 8; ++t) {
        for (std::size_t i = 0; i < naive.boundaries[t].size(); ++i)
            EXPECT_NEAR(naive.boundaries[t][i], certified.boundaries[t][i], 1e-6);
        for (std::size_t i = 0; i < naive.centroids[t].size(); ++i)
            EXPECT_NEAR(naive.centroids[t][i], certified.centroids[t][i], 1e-6);
    }
    EXPECT_NO_THROW(require_valid(certified, "float32 Lloyd table"));
}

TEST(Codebook, a_value_equal_to_a_boundary_goes_up) {
    const Codebook<float> codebook = naive_lloyd_tree(8);
    const auto& boundaries = codebook.boundaries.back();
    for (std::uint32_t i = 0; i < boundaries.size(); ++i) {
        EXPECT_EQ(encode(codebook, boundaries[i]), i + 1);
        EXPECT_EQ(encode(codebook, std::nextafter(boundaries[i], -100.0F)), i);
    }
    EXPECT_EQ(encode(codebook, -0.0F), encode(codebook, 0.0F));
}

TEST(Codebook, exact_entries_are_the_float_entries) {
    const Codebook<float> codebook = naive_lloyd_tree(5);
    const Codebook<Rational> exact = exact_codebook(codebook);
    EXPECT_EQ(exact.depth(), 5);
    for (int t = 0; t <= 5; ++t) {
        for (std::size_t i = 0; i < codebook.centroids[t].size(); ++i)
            EXPECT_EQ(exact.centroids[t][i], rational_from(codebook.centroids[t][i]));
        for (std::size_t i = 0; i < codebook.boundaries[t].size(); ++i)
            EXPECT_EQ(nearest_float32(exact.boundaries[t][i]), codebook.boundaries[t][i]);
    }
    for (float z = -4; z < 4; z += 0.01F)
        EXPECT_EQ(encode(exact, rational_from(z)), encode(codebook, z)); // the same walk in any number type
}

/// At depths 1 and 2 the boundaries of the Lloyd tree are midpoints of adjacent centroids, by symmetry. From
/// depth 3 on an inherited boundary is not, so nearest-centroid search is another quantiser.
TEST(Codebook, nearest_centroid_search_differs_from_depth_3_on) {
    const Codebook<float> codebook = float32_codebook(8);
    const auto disagreements = [&](int t) {
        const Codebook<float> first_levels = cut(codebook, t);
        int count = 0;
        for (int step = -40000; step <= 40000; ++step) {
            // An offset keeps the probes away from midpoints, where both answers are as near.
            const float z = static_cast<float>(step) * 1e-4F + 3.7e-5F;
            count += encode(first_levels, z) != nearest_centroid(codebook.centroids[t], z);
        }
        return count;
    };
    EXPECT_EQ(disagreements(1), 0);
    EXPECT_EQ(disagreements(2), 0);
    for (int t = 3; t <= 8; ++t) EXPECT_GT(disagreements(t), 100) << "depth " << t;
    // By hand: at depth 3 the boundary between cells 4 + 1 and 4 + 2 is one of depth 2.
    const float midpoint = (codebook.centroids[3][5] + codebook.centroids[3][6]) / 2;
    EXPECT_GT(std::fabs(midpoint - codebook.boundaries[3][5]), 1e-3F);
}

/// Each mutant breaks one rule of a valid codebook in one entry.
struct Mutant {
    const char* story;
    void (*apply)(Codebook<float>&);
    const char* named; // what the line must name
};

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

const Mutant mutants[] = {
    {"no level", [](auto& c) { c = {}; }, "found 0 levels"},
    {"depth 0", [](auto& c) { c = cut(c, 0); }, "found 1 levels"},
    {"a level of boundaries is missing", [](auto& c) { c.boundaries.pop_back(); }, "boundaries of 3 levels"},
    {"a level of centroids is missing", [](auto& c) { c.centroids.pop_back(); }, "centroids of 3"},
    {"a boundary is missing", [](auto& c) { c.boundaries[2].pop_back(); }, "boundaries.2: found 2 entries"},
    {"a boundary too many", [](auto& c) { c.boundaries[0].push_back(0); }, "boundaries.0: found 1 entries"},
    {"a centroid is missing", [](auto& c) { c.centroids[3].pop_back(); }, "centroids.3: found 7 entries"},
    {"a centroid too many", [](auto& c) { c.centroids[0].push_back(0); }, "centroids.0: found 2 entries"},
    {"NaN boundary", [](auto& c) { c.boundaries[3][4] = nan; }, "boundaries.3[4]"},
    {"infinite first boundary", [](auto& c) { c.boundaries[3][0] = -infinity; }, "boundaries.3[0]"},
    {"infinite last boundary", [](auto& c) { c.boundaries[3][6] = infinity; }, "boundaries.3[6]"},
    {"NaN centroid", [](auto& c) { c.centroids[1][0] = nan; }, "centroids.1[0]"},
    {"infinite first centroid", [](auto& c) { c.centroids[3][0] = -infinity; }, "centroids.3[0]"},
    {"infinite last centroid", [](auto& c) { c.centroids[3][7] = infinity; }, "centroids.3[7]"},
    {"boundaries in descending order", [](auto& c) { std::ranges::reverse(c.boundaries[2]); },
     "boundaries.2[1]"},
    {"two equal boundaries", [](auto& c) { c.boundaries[3][2] = c.boundaries[3][1]; }, "boundaries.3[2]"},
    {"not nested", [](auto& c) { c.boundaries[3][3] = std::nextafter(c.boundaries[3][3], 1.0F); },
     "boundaries.3[3]"},
    {"centroid below its cell",
     [](auto& c) { c.centroids[3][4] = std::nextafter(c.boundaries[3][3], -9.0F); }, "centroids.3[4]"},
    {"centroid above its cell", [](auto& c) { c.centroids[2][1] = std::nextafter(c.boundaries[2][1], 9.0F); },
     "centroids.2[1]"},
};

TEST(Codebook, every_rule_refuses_its_mutant) {
    for (const Mutant& mutant : mutants) {
        Codebook<float> codebook = naive_lloyd_tree(3);
        ASSERT_NO_THROW(require_valid(codebook, "SOURCE"));
        mutant.apply(codebook);
        EXPECT_TRUE(refuses([&] { require_valid(codebook, "SOURCE"); }, ErrorCode::bad_codebook,
                            {"SOURCE: ", mutant.named}))
            << mutant.story;
    }
}

TEST(Codebook, the_edges_of_the_rules_are_accepted) {
    Codebook<float> codebook = naive_lloyd_tree(3);
    codebook.centroids[3][4] = codebook.boundaries[3][3]; // on the end of its closed cell
    codebook.centroids[2][1] = codebook.boundaries[2][1];
    codebook.centroids[3][0] = std::numeric_limits<float>::lowest();
    EXPECT_NO_THROW(require_valid(codebook, "f"));
    EXPECT_NO_THROW(require_valid(cut(codebook, 1), "f"));
    std::mt19937_64 next(1);
    EXPECT_NO_THROW(require_valid(random_codebook(12, next), "f"));
    EXPECT_TRUE(refuses([&] { require_valid(random_codebook(13, next), "f"); }, ErrorCode::bad_codebook,
                        {"found 14 levels"}));
}

} // namespace
