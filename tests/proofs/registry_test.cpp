// The registry: what is malformed is refused with its line, every row can be decided, and no planned
// statement is missing.
#include "proofs/registry.hpp"

#include "lib/exact/formula.hpp"
#include "proofs/coq_proofs.hpp"
#include "proofs/quantities.hpp"
#include "tests/record/refusal.hpp"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

const std::string header =
    "id\tpaper\tplace\tscope\tstatement\trule\tformula\trecorded\teffort\tnote\tproof\n";
const std::string row =
    "a.b\tReadKV\t3.1\texact\tOne is less than two\tconst\t(< 1 2)\tproved\tdefault\t\t\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST(Registry, a_row_is_read_column_by_column) {
    const std::vector<Claim> claims = parse_registry(header + row + replaced(row, "a.b", "c") +
                                                     replaced(replaced(row, "a.b", "d"), "default", "full"));
    ASSERT_EQ(claims.size(), 3U);
    EXPECT_EQ(claims[0].id, "a.b");
    EXPECT_EQ(claims[0].reference(), "ReadKV, 3.1");
    EXPECT_EQ(claims[0].statement, "One is less than two");
    EXPECT_EQ(claims[0].formula, "(< 1 2)");
    EXPECT_EQ(claims[0].recorded, Verdict::proved);
    EXPECT_FALSE(claims[0].full_effort);
    EXPECT_TRUE(claims[2].full_effort);
}

TEST(Registry, what_is_malformed_is_refused_with_its_line) {
    struct Mutant {
        std::string text;
        std::vector<std::string> parts;
    };
    const std::string second = replaced(row, "a.b", "c.d");
    const std::vector<Mutant> mutants = {
        {replaced(header, "scope", "Scope") + row, {"line 1", "header"}},
        {replaced(header, "\tproof", "") + row, {"line 1", "header"}},
        {row, {"line 1", "header"}},
        {header + row + row, {"line 3", "a.b", "twice"}},
        {header + row + "\n" + row, {"line 4", "a.b", "twice"}},
        {header + row + replaced(second, "\tconst", ""), {"line 3", "10 columns", "expected 11"}},
        {header + row + replaced(second, "const", "const\tx"), {"line 3", "12 columns"}},
        {header + row + replaced(second, "c.d", ""), {"line 3", "id is empty"}},
        {header + replaced(row, "(< 1 2)", ""), {"line 2", "formula is empty"}},
        {header + replaced(row, "One is less than two", ""), {"line 2", "statement is empty"}},
        {header + row + replaced(second, "proved", "proven"), {"line 3", "proven"}},
        {header + row + replaced(second, "proved", "Proved"), {"line 3", "Proved"}},
        {header + row + replaced(second, "default", "much"), {"line 3", "effort"}},
    };
    for (const Mutant& mutant : mutants) {
        std::vector<std::string> parts = mutant.parts;
        parts.emplace_back("claims.tsv");
        EXPECT_TRUE(refuses([&] { (void)parse_registry(mutant.text); }, ErrorCode::bad_registry, parts));
    }
}

/// By definition: a star takes any number of characters.
bool matches_by_search(std::string_view pattern, std::string_view id) {
    if (pattern.empty()) return id.empty();
    if (pattern[0] == '*')
        return matches_by_search(pattern.substr(1), id) ||
               (!id.empty() && matches_by_search(pattern, id.substr(1)));
    return !id.empty() && (pattern[0] == '?' || pattern[0] == id[0]) &&
           matches_by_search(pattern.substr(1), id.substr(1));
}

RC_GTEST_PROP(RegistryProperty, a_pattern_matches_what_it_describes, ()) {
    const auto pattern =
        *rc::gen::resize(9, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab.**?"))));
    const auto id =
        *rc::gen::resize(9, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab."))));
    RC_ASSERT(matches(pattern, id) == matches_by_search(pattern, id));
    RC_ASSERT(matches("*", id));
    RC_ASSERT(matches(id, id));
    RC_ASSERT(!matches(id + "?", id));
}

/// The naive search would need more steps than there are atoms.
TEST(Registry, a_pattern_of_many_stars_is_decided_at_once) {
    std::string pattern;
    for (int i = 0; i < 500; ++i) pattern += "*a";
    EXPECT_FALSE(matches(pattern + "b", std::string(20000, 'a')));
    EXPECT_TRUE(matches(pattern + "*", std::string(20000, 'a')));
    EXPECT_FALSE(matches(std::string(10000, '*') + "b", std::string(10000, 'a')));
    EXPECT_TRUE(matches(std::string(10000, '*'), ""));
    EXPECT_FALSE(matches("?", ""));
}

TEST(Registry, claims_are_selected_in_order_and_a_pattern_without_claims_is_refused) {
    EXPECT_EQ(select_claims({}).size(), registry().size());
    EXPECT_EQ(select_claims({"*"}).size(), registry().size());
    const auto ids = [](const std::vector<Claim>& claims) {
        std::vector<std::string> out;
        for (const Claim& claim : claims) out.push_back(claim.id);
        return out;
    };
    EXPECT_EQ(ids(select_claims({"readkv.thm1.domain", "readkv.lemma7.q2.*", "readkv.lemma7.q2.exact"})),
              (std::vector<std::string>{"readkv.lemma7.q2.float32", "readkv.lemma7.q2.exact",
                                        "readkv.thm1.domain"}));
    EXPECT_TRUE(refuses(
        [] {
            (void)select_claims({"readkv.*", "nothing.*"});
        },
        ErrorCode::unknown_claim, {"nothing.*"}));
    EXPECT_TRUE(refuses([] { (void)select_claims({""}); }, ErrorCode::unknown_claim, {"\"\""}));
}

TEST(Registry, every_row_is_well_formed) {
    const std::set<std::string> scopes = {"exact", "float32", "codebook", "any-table"};
    const std::set<std::string> rules = {"const", "lloyd",     "codebook",       "identity",
                                         "cover", "enumerate", "waterfill",      "game",
                                         "unsat", "coq",       "counterexample", "sampling"};
    const std::vector<const char*> families = {"readkv.", "aatc.", "certificate.", "paper.audit."};
    for (const Claim& claim : registry()) {
        const Formula formula = parse_formula(claim.formula);
        EXPECT_EQ(parse_formula(to_machine(formula)), formula) << claim.id;
        EXPECT_TRUE(scopes.contains(claim.scope)) << claim.id;
        EXPECT_TRUE(rules.contains(claim.rule)) << claim.id;
        EXPECT_TRUE(std::ranges::any_of(families, [&](const char* family) {
            return claim.id.starts_with(family);
        })) << claim.id;
        const std::vector<std::string> names = quantities_of(formula);
        const bool of_table = std::ranges::any_of(names, CertifiedQuantities::is_of_table);
        // A claim about a table speaks of that table and of nothing else, one about any table of none.
        EXPECT_EQ(claim.rule == "codebook", of_table) << claim.id;
        EXPECT_TRUE(claim.scope != "any-table" || names.empty()) << claim.id;
        EXPECT_TRUE(claim.scope != "exact" || !of_table) << claim.id;
        if (formula.kind == Formula::Kind::named && formula.name == "pending") {
            EXPECT_EQ(claim.recorded, Verdict::undecided) << claim.id;
        } else {
            EXPECT_NE(claim.recorded, Verdict::undecided) << claim.id;
        }
        const bool sampled = formula.kind == Formula::Kind::named && formula.name == "reader";
        EXPECT_EQ(sampled, claim.rule == "sampling") << claim.id;
        // a part of a statement is support; with a machine-checked proof of the whole it is proved
        const bool is_part = formula.kind == Formula::Kind::part;
        if (formula.kind != Formula::Kind::printed) { // what printed digits leave open is support, too
            EXPECT_EQ(sampled || (is_part && claim.proof.empty()), claim.recorded == Verdict::supported)
                << claim.id;
        }
        EXPECT_TRUE(formula.kind != Formula::Kind::printed || is_audit(claim)) << claim.id;
        if (!claim.proof.empty()) {
            EXPECT_EQ(find_coq_proof(claim.proof).problem, "") << claim.id;
        }
    }
}

/// The statements of ReadKV's sections 3, 4, E.3 and E.4, and of AATC's III, V, B and D, as the project's
/// plan lists them.
std::vector<std::string> planned_ids() {
    std::vector<std::string> out = {"readkv.lloyd.tree",         "readkv.lloyd.symmetry",
                                    "readkv.table.distortion",   "readkv.lloyd.nested_penalty",
                                    "readkv.eq4.algebra",        "readkv.eq4.quantisers",
                                    "readkv.obstruction.reader", "readkv.obstruction.rival"};
    for (int t = 1; t <= 8; ++t)
        for (const char* reading : {".float32", ".exact", ".codebook"})
            out.push_back("readkv.lemma7.gain." + std::to_string(t) + reading);
    for (const char* reading : {".float32", ".exact", ".codebook"})
        out.push_back(std::string("readkv.lemma7.decreasing") + reading);
    for (const char* name : {"readkv.lemma7.epsilon8", "readkv.lemma7.q2", "readkv.lemma7.obstruction",
                             "readkv.thm2.gain_order"})
        for (const char* reading : {".float32", ".exact"}) out.push_back(std::string(name) + reading);
    for (const char* name :
         {"coefficient", "ratio155", "ratio155.printed", "ratio155507", "instance", "converse", "separation",
          "schedule", "schedule_needs_cap", "k_range", "domain", "bayes", "upper", "slack", "region"})
        out.push_back(std::string("readkv.thm1.") + name);
    for (const char* name : {"logistic", "upper", "matrix", "lower", "converse", "separation", "run"})
        out.push_back(std::string("readkv.thm2.") + name);
    for (const char* name : {"lemma11.decomposition",
                             "lemma11.softmax",
                             "lemma11.bound",
                             "prop12.gram",
                             "prop12.certificate",
                             "cor13.coherence",
                             "thm3.grouped",
                             "d2.identity",
                             "code.prefix",
                             "transform.invariance",
                             "f6.two_depth_cost",
                             "f7.scale_invariance.exact",
                             "f7.scale_invariance.float32",
                             "f8.uniform_when_one",
                             "e3.tight",
                             "s3.staged2",
                             "thm3.stagewise.sampled",
                             "prop12.certificate.sampled",
                             "prop4.chain",
                             "prop4.staged_limit",
                             "prop4.no_probe",
                             "prop5.zero_read",
                             "prop6.full_read",
                             "c.query_independent",
                             "c.private_coins",
                             "c.strict.query",
                             "c.strict.batch",
                             "c.strict.batch3",
                             "c.coins.needed",
                             "c.decoder.blind",
                             "c.encoder.bounded"})
        out.push_back(std::string("readkv.") + name);
    // AATC: the remainder and Theorem 1; then allocation, quantisers, transform, compression
    for (const char* name : {"remark6.derivatives",
                             "remark6.taylor",
                             "lemma1.bracket",
                             "lemma1.bracket.constants",
                             "lemma1.tail",
                             "lemma1.sharp",
                             "lemma1.sharp.each",
                             "lemma1.sharp.attained",
                             "lemma1.sharp.cover",
                             "thm1.cross_zero",
                             "thm1.key_term",
                             "thm1.value_term",
                             "thm1.remainder.decomposition",
                             "thm1.remainder",
                             "thm1.remainder.sharp",
                             "thm1.remainder.attained",
                             "thm1.remainder.per_token",
                             "thm1.remainder.per_token.sum",
                             "thm1.remainder.needs_symmetry",
                             "eq5.factor",
                             "eq5.factor.only_if",
                             "eq5.factor.printed",
                             "eq5.factor.token_scaled",
                             "eq14.identity",
                             "eq14.sharp",
                             "eq14.eq10",
                             "eq14.eq15",
                             "b.metric",
                             "b.hypotheses.decorrelated",
                             "b.hypotheses",
                             "b.hypotheses.zero_mean",
                             "b.sigma_sqrt_s",
                             "b.sigma_sqrt_s.printed",
                             "thm1.montecarlo.enumerated",
                             "thm1.montecarlo.enumerated.three",
                             "thm1.montecarlo.drawn",
                             "eq2.waterfill",
                             "eq2.level",
                             "eq2.level.zero",
                             "eq8.integer",
                             "eq8.relaxation.cap",
                             "def2.error",
                             "quantiser.nonoverload.b0",
                             "quantiser.nonoverload.b1",
                             "quantiser.nonoverload.b2_16",
                             "quantiser.nonoverload.largest",
                             "quantiser.nonoverload.repaired",
                             "quantiser.zero_mean",
                             "quantiser.zero_mean.value",
                             "eq28.def2",
                             "eq28.def2.minmax",
                             "eq28.def2.minmax.printed",
                             "eq28.own",
                             "eq28.own.value",
                             "eq28.own.gaussian",
                             "prop1.equivalence",
                             "step1.factorisation",
                             "step1.normalisation.covariance",
                             "step1.normalisation.gram",
                             "compression.ratio",
                             "table.compression.kivi",
                             "table.compression.palu",
                             "table.compression.kvquant",
                             "table.compression.aatc"})
        out.push_back(std::string("aatc.") + name);
    out.emplace_back("certificate.sharp");
    out.emplace_back("certificate.sharp.sampled");
    out.emplace_back("aatc.thm1.montecarlo.samples");
    return out;
}

TEST(Registry, every_planned_statement_has_a_row) {
    std::set<std::string> ids;
    for (const Claim& claim : registry()) ids.insert(claim.id);
    EXPECT_EQ(ids.size(), registry().size());
    for (const std::string& id : planned_ids()) EXPECT_TRUE(ids.contains(id)) << id;
    EXPECT_FALSE(ids.contains("readkv.lemma7.gain.9.exact"));
    EXPECT_EQ(parse_registry(registry_text()).size() + parse_registry(audit_text()).size(),
              registry().size());
}

/// One row for each sentence of the papers that derives a number from printed ones.
TEST(Registry, the_audit_has_its_rows) {
    const std::vector<Claim> audit = parse_registry(audit_text());
    EXPECT_EQ(audit.size(), 355U);
    EXPECT_TRUE(std::ranges::all_of(audit, is_audit));
    EXPECT_TRUE(std::ranges::none_of(parse_registry(registry_text()), is_audit));
    for (const Claim& claim : audit)
        if (claim.recorded == Verdict::supported) {
            EXPECT_TRUE(claim.note.starts_with("rounding edge: ")) << claim.id;
        }
}

} // namespace
