// Mutants of every claim: each bound moved just beyond the number it bounds, each relation turned round. A
// claim that a mutant does not change would not depend on what it says.
#include "proofs/registry.hpp"

#include "tests/codec/enclosures.hpp"
#include "tests/proofs/decided.hpp"

#include <functional>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// All relations of a formula that may be changed in place.
void collect(Formula& formula, std::vector<Formula*>& out) {
    if (formula.kind == Formula::Kind::relation) out.push_back(&formula);
    for (Formula& part : formula.parts) collect(part, out);
}

std::size_t relation_count(const Formula& formula) {
    return relations_of(formula).size();
}

/// The formula with its i-th relation changed.
Formula changed(Formula formula, std::size_t i, const std::function<void(Formula&)>& change) {
    std::vector<Formula*> relations;
    collect(formula, relations);
    change(*relations[i]);
    return formula;
}

/// Sentences about printed numbers have mutants of their own (tests/audit).
std::vector<Claim> with_verdict(Verdict verdict) {
    std::vector<Claim> out;
    for (const Claim& claim : registry())
        if (claim.recorded == verdict && !claim.full_effort && !is_audit(claim)) out.push_back(claim);
    return out;
}

bool has_variables(const Expr& expr) {
    if (expr.op() == Op::variable) return true;
    return std::ranges::any_of(expr.args(), has_variables);
}

bool has_variables(const Formula& relation) {
    return std::ranges::any_of(relation.terms, [](const Expr& term) { return has_variables(term); });
}

bool rising(Relation relation) {
    return relation == Relation::less || relation == Relation::less_equal;
}

/// A rational just beyond the term: above it if `up`, by a 2^-80 part of it.
Rational beyond(const Expr& term, bool up) {
    const Interval value = enclose(term, {}, quantities(), 256);
    const Rational step = power(Rational(2), -80);
    return up ? Rational(value.upper_rational() + abs(value.upper_rational()) * step)
              : Rational(value.lower_rational() - abs(value.lower_rational()) * step);
}

/// Where a plain number bounds a term that is none: the number moved to the wrong side of the term,
/// hair-near.
TEST(ClaimMutants, a_bound_just_beyond_the_number_is_refuted) {
    std::size_t mutants = 0;
    for (const Claim& claim : with_verdict(Verdict::proved)) {
        const Formula formula = parse_formula(claim.formula);
        for (std::size_t i = 0; i < relation_count(formula); ++i) {
            const Formula& relation = *relations_of(formula)[i];
            if (relation.relation == Relation::equal || has_variables(relation)) continue;
            for (std::size_t j = 0; j < relation.terms.size(); ++j) {
                if (relation.terms[j].op() != Op::rational) continue;
                for (const std::size_t k : {j - 1, j + 1}) { // j - 1 wraps around below the first
                    if (k >= relation.terms.size() || relation.terms[k].op() == Op::rational) continue;
                    // In a rising chain the number before the term must not exceed it: place it above.
                    const bool wrong_is_up = (k > j) == rising(relation.relation);
                    const auto moved_to = [&](bool up) {
                        return changed(formula, i, [&](Formula& mutant) {
                            mutant.terms[j] = Expr::rational(beyond(relation.terms[k], up));
                        });
                    };
                    EXPECT_EQ(decided(moved_to(wrong_is_up)).verdict, Verdict::refuted)
                        << claim.id << " " << i;
                    if (relation.terms.size() == 2) {
                        EXPECT_EQ(decided(moved_to(!wrong_is_up)).verdict, Verdict::proved)
                            << claim.id << " " << i;
                    }
                    ++mutants;
                }
            }
        }
    }
    EXPECT_GT(mutants, 90U);
}

TEST(ClaimMutants, an_inequality_turned_round_is_not_proved) {
    std::size_t mutants = 0;
    for (const Verdict verdict : {Verdict::proved, Verdict::supported})
        for (const Claim& claim : with_verdict(verdict)) {
            const Formula formula = parse_formula(claim.formula);
            for (std::size_t i = 0; i < relation_count(formula); ++i) {
                if (relations_of(formula)[i]->relation == Relation::equal) continue;
                const Formula mutant = changed(formula, i, [](Formula& relation) {
                    relation.relation = rising(relation.relation) ? Relation::greater : Relation::less;
                });
                EXPECT_EQ(decided(mutant).verdict, Verdict::refuted) << claim.id << " " << i;
                ++mutants;
            }
        }
    EXPECT_GT(mutants, 110U);
}

TEST(ClaimMutants, an_equality_that_is_a_little_off_is_refuted) {
    std::size_t mutants = 0;
    std::vector<Claim> claims = with_verdict(Verdict::proved);
    std::ranges::move(with_verdict(Verdict::supported), std::back_inserter(claims));
    for (const Claim& claim : claims) {
        const Formula formula = parse_formula(claim.formula);
        for (std::size_t i = 0; i < relation_count(formula); ++i) {
            if (relations_of(formula)[i]->relation != Relation::equal) continue;
            for (const char* off : {"1e-25", "-1e-25"}) {
                const Formula mutant = changed(formula, i, [&](Formula& relation) {
                    relation.terms.back() =
                        Expr::apply(Op::add, {relation.terms.back(), Expr::rational(parse_rational(off))});
                });
                EXPECT_EQ(decided(mutant).verdict, Verdict::refuted) << claim.id << " " << i;
                ++mutants;
            }
        }
    }
    EXPECT_GT(mutants, 20U);
}

/// Lemma 7's intervals, moved by one unit of their last digit: the next interval does not hold the gain.
TEST(ClaimMutants, a_gain_lies_in_its_interval_and_in_no_neighbour) {
    for (const Claim& claim : registry()) {
        if (claim.id.find("lemma7.gain.") == std::string::npos || claim.recorded != Verdict::proved) continue;
        const Formula formula = parse_formula(claim.formula);
        const Rational width = formula.terms[2].value() - formula.terms[0].value();
        for (const int shift : {-1, 1}) {
            const Formula mutant = changed(formula, 0, [&](Formula& relation) {
                for (const std::size_t end : {0, 2})
                    relation.terms[end] = Expr::rational(relation.terms[end].value() + shift * width);
            });
            EXPECT_EQ(decided(mutant).verdict, Verdict::refuted) << claim.id;
        }
    }
}

/// What is refuted is refuted by its number: an interval around the number is proved.
TEST(ClaimMutants, a_refuted_interval_moved_to_the_number_is_proved) {
    std::size_t mutants = 0;
    for (const Claim& claim : with_verdict(Verdict::refuted)) {
        const Formula formula = parse_formula(claim.formula);
        const Formula& chain = *relations_of(formula)[0];
        if (formula.kind == Formula::Kind::universal) continue; // refuted by an instance: the next test
        ASSERT_EQ(chain.terms.size(), 3U) << claim.id;
        const Formula mutant = changed(formula, 0, [&](Formula& relation) {
            relation.terms[0] = Expr::rational(beyond(chain.terms[1], false));
            relation.terms[2] = Expr::rational(beyond(chain.terms[1], true));
        });
        EXPECT_EQ(decided(mutant).verdict, Verdict::proved) << claim.id;
        ++mutants;
    }
    EXPECT_EQ(mutants, 9U); // five numbers of ReadKV's Lemma 7, four ratios of AATC's tables
}

/// F.7's schedules change because the scaled weights are rounded: a power of two rounds nothing, and the
/// instance that refutes is the only one of the range.
TEST(ClaimMutants, a_schedule_is_kept_by_a_power_of_two_and_at_the_other_weights) {
    const std::string formula = select_claims({"readkv.f7.scale_invariance.float32"}).front().formula;
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string out = formula;
        std::size_t replaced = 0;
        for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size())) {
            out.replace(at, from.size(), to);
            ++replaced;
        }
        EXPECT_GT(replaced, 0U) << from;
        return decided(parse_formula(out)).verdict;
    };
    EXPECT_EQ(with("11/8", "2"), Verdict::proved);
    EXPECT_EQ(with("int 0 3", "int 0 0"), Verdict::proved);
    EXPECT_EQ(with("int 0 3", "int 1 1"), Verdict::refuted);
    EXPECT_EQ(with("int 0 3", "int 2 3"), Verdict::proved);
}

/// Bounds that hold with equality at the border of a box: a hair less is refuted.
TEST(ClaimMutants, attained_bounds_of_covers_are_sharp) {
    for (const char* id : {"readkv.thm1.domain", "readkv.obstruction.rival"}) {
        const Formula formula = parse_formula(select_claims({id}).front().formula);
        for (std::size_t i = 0; i < relation_count(formula); ++i) {
            const Formula mutant = changed(formula, i, [](Formula& relation) {
                relation.terms[1] = Expr::rational(relation.terms[1].value() - power(Rational(10), -20));
            });
            EXPECT_EQ(decided(mutant).verdict, Verdict::refuted) << id << " " << i;
        }
    }
}

} // namespace
