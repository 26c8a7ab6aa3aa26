// Refutations against two plain checkers of the tests' own, and mutants of them.
#include "lib/error.hpp"
#include "sim/probe/drat_trace.hpp"
#include "sim/probe/sat_solver.hpp"
#include "sim/probe/unsat_proof.hpp"
#include "tests/probe/naive_rup.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

bool is_valid(const Cnf& cnf, const std::vector<RupLine>& lines) {
    try {
        require_valid_proof(cnf, lines);
        return true;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::internal);
        return false;
    }
}

/// More pigeons than holes: variable hole + holes * pigeon + 1.
Cnf pigeons(int holes) {
    Cnf out{holes * (holes + 1), {}};
    for (int p = 0; p <= holes; ++p) {
        out.clauses.emplace_back();
        for (int h = 0; h < holes; ++h) out.clauses.back().push_back(h + holes * p + 1);
    }
    for (int h = 0; h < holes; ++h)
        for (int p = 0; p <= holes; ++p)
            for (int q = 0; q < p; ++q) out.clauses.push_back({-(h + holes * p + 1), -(h + holes * q + 1)});
    return out;
}

Cnf random_cnf() {
    std::mt19937_64 bits(*rc::gen::arbitrary<std::uint64_t>());
    const auto between = [&bits](int least, int most) {
        return std::uniform_int_distribution(least, most)(bits);
    };
    Cnf out{between(4, 12), {}};
    for (int k = 0; k < out.variables * 5; ++k) {
        std::set<int> variables;
        const std::size_t size = k == 0 ? 1 : between(0, 4) == 0 ? 2 : 3;
        while (variables.size() < size) variables.insert(between(1, out.variables));
        out.clauses.emplace_back();
        for (const int v : variables) out.clauses.back().push_back(between(0, 1) == 1 ? v : -v);
    }
    return out;
}

bool holds_somewhere(const Cnf& cnf) {
    for (unsigned model = 0; model < 1U << static_cast<unsigned>(cnf.variables); ++model)
        if (std::ranges::all_of(cnf.clauses, [model](const auto& clause) {
                return std::ranges::any_of(clause, [model](int literal) {
                    return (model >> static_cast<unsigned>(std::abs(literal) - 1) & 1U) ==
                           (literal > 0 ? 1U : 0U);
                });
            }))
            return true;
    return false;
}

RC_GTEST_PROP(UnsatProofProperty, every_refutation_is_followed_by_two_plain_checkers, ()) {
    const Cnf cnf = random_cnf();
    const SatResult result = solve(cnf);
    const bool can_hold = holds_somewhere(cnf);
    RC_ASSERT(result.answer == (can_hold ? SatAnswer::satisfiable : SatAnswer::unsatisfiable));
    if (can_hold) return;
    const std::vector<RupLine> lines = *unsat_proof(cnf, result.trace);
    RC_ASSERT(is_valid(cnf, lines));
    RC_ASSERT(follows_by_hints(cnf, lines));
    RC_ASSERT(follows_by_propagation(cnf, lines));
}

class Mutants : public testing::Test {
protected:
    const Cnf cnf = pigeons(5);
    const std::vector<RupLine> lines = *unsat_proof(cnf, solve(cnf).trace);

    void expect_rejected(const std::vector<RupLine>& mutant, const std::string& what) const {
        EXPECT_FALSE(is_valid(cnf, mutant)) << what;
        EXPECT_FALSE(follows_by_hints(cnf, mutant)) << what;
    }
};

TEST_F(Mutants, none_is_no_mutant) {
    EXPECT_GT(lines.size(), 10U);
    EXPECT_TRUE(is_valid(cnf, lines));
    EXPECT_TRUE(follows_by_hints(cnf, lines));
    EXPECT_TRUE(follows_by_propagation(cnf, lines));
}

TEST_F(Mutants, without_any_one_hint_are_rejected) {
    for (std::size_t k = 0; k < lines.size(); ++k)
        for (std::size_t h = 0; h < lines[k].hints.size(); ++h) {
            auto mutant = lines;
            mutant[k].hints.erase(mutant[k].hints.begin() + static_cast<std::ptrdiff_t>(h));
            expect_rejected(mutant, "line " + std::to_string(k) + " hint " + std::to_string(h));
        }
}

TEST_F(Mutants, with_any_one_literal_negated_or_gone_are_rejected) {
    for (std::size_t k = 0; k < lines.size(); ++k)
        for (std::size_t l = 0; l < lines[k].literals.size(); ++l) {
            auto mutant = lines;
            mutant[k].literals[l] *= -1;
            expect_rejected(mutant, "line " + std::to_string(k) + " literal " + std::to_string(l));
            mutant[k].literals.erase(mutant[k].literals.begin() + static_cast<std::ptrdiff_t>(l));
            expect_rejected(mutant, "line " + std::to_string(k) + " without " + std::to_string(l));
        }
}

TEST_F(Mutants, with_other_numbers_or_ends_are_rejected) {
    auto mutant = lines;
    mutant.pop_back();
    expect_rejected(mutant, "the end is missing");
    mutant = lines;
    mutant.erase(mutant.begin());
    expect_rejected(mutant, "the start is missing");
    mutant = lines;
    mutant.back().hints.push_back(1);
    expect_rejected(mutant, "a hint after the conflict");
    mutant.back().hints.back() = 0;
    expect_rejected(mutant, "clause 0");
    mutant = lines;
    mutant[0].hints[0] = static_cast<int>(cnf.clauses.size()) + 1;
    expect_rejected(mutant, "a line that hints at itself");
    expect_rejected({}, "no line");
}

TEST_F(Mutants, of_the_formula_that_can_hold_are_rejected) {
    std::set<int> used;
    for (const RupLine& line : lines) used.insert(line.hints.begin(), line.hints.end());
    for (std::size_t k = 0; k < cnf.clauses.size(); ++k) {
        EXPECT_TRUE(used.contains(static_cast<int>(k) + 1)); // this formula needs every clause
        Cnf weaker = cnf;
        weaker.variables += 1; // another variable satisfies the clause
        weaker.clauses[k].push_back(weaker.variables);
        EXPECT_FALSE(is_valid(weaker, lines));
        EXPECT_FALSE(follows_by_propagation(weaker, lines));
    }
}

std::string trace_of(const std::vector<TraceStep>& steps) {
    std::string out;
    for (const TraceStep& step : steps) {
        out.push_back(step.deletes ? 'd' : 'a');
        for (const int literal : step.literals)
            out.push_back(static_cast<char>(literal > 0 ? 2 * literal : 1 - 2 * literal)); // all below 64
        out.push_back('\0');
    }
    return out;
}

TEST(UnsatProof, of_a_trace_with_a_clause_that_does_not_follow_is_refused) {
    const Cnf cnf{.variables = 3, .clauses = {{1, 2}, {1, -2}, {-1, 3}, {-1, -3}}};
    const Cnf can_hold{.variables = 3, .clauses = {{1, 2}, {1, -2}, {-1, 3}}};
    const std::string trace = trace_of({{false, {1}}, {true, {1, 2}}, {false, {}}});
    EXPECT_TRUE(is_valid(cnf, *unsat_proof(cnf, trace)));
    EXPECT_THROW((void)unsat_proof(can_hold, trace), Error);
    EXPECT_THROW((void)unsat_proof(can_hold, trace_of({{false, {1}}})), Error); // it does not end
    EXPECT_THROW((void)unsat_proof(can_hold, trace_of({{false, {-3}}})), Error);
}

TEST(UnsatProof, of_a_formula_that_propagation_refutes_needs_no_trace) {
    const Cnf cnf{.variables = 2, .clauses = {{1}, {-1, 2}, {-2}}};
    const std::vector<RupLine> lines = *unsat_proof(cnf, "");
    EXPECT_TRUE(follows_by_hints(cnf, lines));
    const Cnf empty{.variables = 1, .clauses = {{1}, {}}};
    EXPECT_EQ(*unsat_proof(empty, ""), (std::vector<RupLine>{{{}, {2}}}));
}

TEST(UnsatProof, stops_when_asked) {
    const Cnf cnf = pigeons(6);
    const std::string trace = solve(cnf).trace;
    EXPECT_FALSE(unsat_proof(cnf, trace, [] { return true; }));
    // asked for the first time after the first pass: what it has is a proof
    int asked = 0;
    const auto whole = unsat_proof(cnf, trace, [&] { return ++asked < 0; });
    int left = asked;
    const auto early = unsat_proof(cnf, trace, [&] { return --left == 0; });
    EXPECT_TRUE(is_valid(cnf, *whole));
    EXPECT_TRUE(is_valid(cnf, *early));
}

TEST(DratTrace, is_read_by_groups_of_seven_bits) {
    TraceStep step;
    DratTrace trace(std::string_view("a\x81\x01\x02\0d\x7f\0", 8));
    ASSERT_TRUE(trace.next(step));
    EXPECT_FALSE(step.deletes);
    EXPECT_EQ(step.literals, (std::vector<int>{-64, 1}));
    ASSERT_TRUE(trace.next(step));
    EXPECT_TRUE(step.deletes);
    EXPECT_EQ(step.literals, (std::vector<int>{-63}));
    EXPECT_FALSE(trace.next(step));
    for (const std::string_view bad : {"x", "a", "a\x02", "a\x82", "a\xff\xff\xff\xff\xff\xff"}) {
        DratTrace broken(bad);
        EXPECT_THROW(broken.next(step), Error) << bad;
    }
}

} // namespace
