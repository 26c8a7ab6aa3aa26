// Statements known by name, with other parameters than the registry's: what is counted, and what is refused.
#include "tests/proofs/decided.hpp"
#include "tests/record/refusal.hpp"

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

TEST(NamedStatements, the_tree_exists_to_every_depth) {
    for (const int depth : {8, 9}) { // quantities keep no tree shallower than 8
        const Decision decision = decided("(lloyd-tree " + std::to_string(depth) + " 20)");
        EXPECT_EQ(decision.verdict, Verdict::proved);
        EXPECT_EQ(decision.cases, (1U << depth) - 1); // all splits
        EXPECT_EQ(witness_of(decision, "splits"), witness_of(decision, "splits certified twice"));
    }
    EXPECT_EQ(verdict_of("(lloyd-tree 3 60)"), Verdict::proved);
    EXPECT_TRUE(refuses([] { (void)decided("(lloyd-tree 13 30)"); }, ErrorCode::depth_out_of_range, {"13"}));
}

TEST(NamedStatements, more_digits_need_more_bits) {
    const Bits few = decided("(lloyd-tree 8 20)").bits;
    const Bits many = decided("(lloyd-tree 8 120)").bits;
    EXPECT_GE(many - few, 200);
    EXPECT_GE(few, 2 * 67);
}

TEST(NamedStatements, symmetry_compares_every_boundary_with_its_mirror_image) {
    for (const int depth : {1, 2, 5, 8}) {
        const Decision decision = decided("(lloyd-symmetric " + std::to_string(depth) + ")");
        EXPECT_EQ(decision.verdict, Verdict::proved) << depth;
        std::uint64_t boundaries = 0;
        for (int t = 1; t <= depth; ++t) boundaries += (std::uint64_t{1} << t) - 1;
        EXPECT_EQ(decision.cases, boundaries) << depth;
    }
}

TEST(NamedStatements, optimal_quantisers_exist) {
    const Decision decision = decided("(lloyd-max 4 20)");
    EXPECT_EQ(decision.verdict, Verdict::proved);
    EXPECT_EQ(decision.cases, 1U + 3U + 7U + 15U);
    EXPECT_TRUE(refuses([] { (void)decided("(lloyd-max 11 20)"); }, ErrorCode::depth_out_of_range, {"11"}));
}

TEST(NamedStatements, what_is_pending_is_undecided_and_says_what_it_waits_for) {
    const Decision decision = decided("(pending two-stage-reader)");
    EXPECT_EQ(decision.verdict, Verdict::undecided);
    EXPECT_EQ(decision.why, Why::missing_part);
    EXPECT_EQ(witness_of(decision, "missing"), "two-stage-reader");
}

TEST(NamedStatements, unknown_names_and_wrong_parameters_are_refused) {
    for (const char* text : {"(lloyd-tree 8)", "(lloyd-tree 8 30 1)", "(lloyd-tree -1 30)",
                             "(lloyd-tree 8 1/2)", "(lloyd-tree x 30)", "(lloyd-symmetric)",
                             "(lloyd-forest 8 30)", "(pending)", "(pending a b)", "(lloyd-max 8 1e9)"})
        EXPECT_TRUE(refuses([&] { (void)parse_formula(text); }, ErrorCode::bad_formula, {})) << text;
}

} // namespace
