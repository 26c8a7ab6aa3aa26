// Machine-checked proofs: which of them count as checked, and what a checked one makes of a verdict.
#include "proofs/coq_proofs.hpp"

#include "lib/codec/lloyd_tree.hpp"
#include "proofs/certificate/writer.hpp"
#include "proofs/verify.hpp"
#include "tests/proofs/decided.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

const std::string sources = "A.v 11\nAB.v 22\n";
const std::string checked =
    "file\ttheorem\tsha256\taxioms\nA.v\tone\t11\tclassic sig_not_dec\nA.v\ttwo\t11\t\n"
    "AB.v\tone\t33\tclassic\nC.v\tone\t\t\n";

TEST(CoqProofs, one_counts_that_was_checked_with_these_sources) {
    const CoqProof proof = find_coq_proof("proofs/coq/A.v:one", sources, checked);
    EXPECT_TRUE(proof.checked());
    EXPECT_EQ(proof.theorem, "proofs/coq/A.v:one");
    EXPECT_EQ(proof.sha256, "11");
    EXPECT_EQ(proof.axioms, "classic sig_not_dec");
    EXPECT_EQ(find_coq_proof("proofs/coq/A.v:two", sources, checked).axioms, "");
}

TEST(CoqProofs, none_counts_that_was_not_checked_or_whose_sources_moved) {
    const auto problem = [](const std::string& theorem) {
        const CoqProof proof = find_coq_proof("proofs/coq/" + theorem, sources, checked);
        EXPECT_EQ(proof.sha256, "") << theorem;
        EXPECT_FALSE(proof.checked()) << theorem;
        return proof.problem;
    };
    EXPECT_NE(problem("AB.v:one").find("not those"), std::string::npos);
    for (const char* theorem : {"A.v:on", "A.v:three", "B.v:one"})
        EXPECT_NE(problem(theorem).find("never checked"), std::string::npos) << theorem;
    EXPECT_FALSE(find_coq_proof("proofs/coq/A.v:one", "", checked).checked());
    EXPECT_FALSE(find_coq_proof("proofs/coq/A.v:one", sources, "").checked());
}

TEST(CoqProofs, a_malformed_name_is_refused) {
    for (const char* name : {"", "A.v:one", "proofs/coq/A.v", "proofs/coq/A.v:", "proofs/coq/A:one",
                             "coq/A.v:one", "proofs/coq/A.v:one "})
        EXPECT_TRUE(refuses([&] { (void)find_coq_proof(name, sources, checked); }, ErrorCode::bad_registry,
                            {std::string("\"") + name + "\""}))
            << name;
}

/// What a shell command prints.
std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string out;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) out += static_cast<char>(c);
    return out;
}

/// The hash as a reader would take it: of a file without requirements, and of one that needs it.
TEST(CoqProofs, the_hash_is_that_of_sha256sum) {
    const auto by_hand = [](const std::string& files) {
        return output_of("cd " KVPROOF_SOURCE_DIR "/proofs/coq && sha256sum " + files +
                         " | sha256sum | cut -d ' ' -f 1");
    };
    const std::string text(coq_sources_text());
    EXPECT_NE(text.find("FiniteSums.v " + by_hand("FiniteSums.v")), std::string::npos);
    EXPECT_NE(text.find("Proposition8.v " + by_hand("Allocation.v FiniteSums.v Proposition8.v")),
              std::string::npos);
    EXPECT_EQ(text.find("Proposition8.v " + by_hand("FiniteSums.v Proposition8.v")), std::string::npos);
}

Claim claim_with(const std::string& formula, const std::string& proof) {
    Claim claim = select_claims({"readkv.prop8.greedy"}).front();
    claim.formula = formula;
    claim.proof = proof;
    return claim;
}

TEST(CoqProofs, a_checked_one_lifts_a_part_that_holds_and_nothing_else) {
    const Context context{quantities(), small_effort()};
    const std::string proof = "proofs/coq/Proposition8.v:proposition8";
    const auto verdict = [&](const std::string& formula, const std::string& of) {
        return verify_claim(claim_with(formula, of), context).decision.verdict;
    };
    EXPECT_EQ(verdict("(part (< 1 2))", proof), Verdict::proved);
    EXPECT_EQ(verdict("(part (< 1 2))", ""), Verdict::supported);
    EXPECT_EQ(verdict("(part (< 1 2))", "proofs/coq/Proposition8.v:there_is_none"), Verdict::supported);
    EXPECT_EQ(verdict("(part (< 2 1))", proof), Verdict::refuted);
    EXPECT_EQ(verdict("(part (< (- (sqrt 2) (sqrt 3)) (- (sqrt 2) (sqrt 3))))", proof), Verdict::undecided);
    EXPECT_EQ(verdict("(pending x)", proof), Verdict::undecided);
    EXPECT_EQ(verdict("(< 1 2)", "proofs/coq/Proposition8.v:there_is_none"), Verdict::proved);
}

TEST(CoqProofs, the_witness_and_the_certificate_name_it) {
    const Context context{quantities(), small_effort()};
    const std::string proof = "proofs/coq/Proposition8.v:proposition8";
    const Result lifted = verify_claim(claim_with("(part (< 1 2))", proof), context);
    EXPECT_EQ(witness_of(lifted.decision, "proof"), proof);
    EXPECT_EQ(lifted.records.back(), "coq " + proof + " " + witness_of(lifted.decision, "proof sha256"));
    EXPECT_NE(witness_of(lifted.decision, "proof rests on").find("sig_forall_dec"), std::string::npos);
    const Result whole = verify_claim(claim_with("(< 1 2)", proof), context);
    EXPECT_EQ(witness_of(whole.decision, "proof"), proof);
    EXPECT_EQ(whole.records, (std::vector<std::string>{"precision 256"}));
    const Result unchecked =
        verify_claim(claim_with("(part (< 1 2))", "proofs/coq/Proposition8.v:there_is_none"), context);
    EXPECT_NE(witness_of(unchecked.decision, "proof not checked").find("never checked"), std::string::npos);
    EXPECT_EQ(unchecked.records, (std::vector<std::string>{"precision 256"}));
}

/// A theorem about the stored table's decreasing gains says nothing about a user's.
TEST(CoqProofs, a_users_table_is_not_lifted) {
    const CertifiedQuantities users(float32_codebook(2));
    const Claim claim =
        claim_with("(part (< float32.epsilon.1 1))", "proofs/coq/Proposition8.v:proposition8");
    const Result result = verify_claim(claim, {users, small_effort()}, "mine.json");
    EXPECT_EQ(result.decision.verdict, Verdict::supported);
    EXPECT_EQ(witness_of(result.decision, "proof"), "");
    EXPECT_EQ(verify_claim(claim, {quantities(), small_effort()}).decision.verdict, Verdict::proved);
}

} // namespace
