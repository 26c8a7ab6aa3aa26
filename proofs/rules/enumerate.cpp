#include "lib/error.hpp"
#include "lib/exact/evaluator.hpp"
#include "proofs/rules/decide.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// Moves the last coordinate fastest; false when all have been seen.
bool advance(Box& point, const std::vector<Bound>& bounds) {
    for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) {
        const Rational next = point[bound->name].lower + 1;
        if (next <= bound->upper) {
            point[bound->name] = {next, next};
            return true;
        }
        point[bound->name] = {bound->lower, bound->lower};
    }
    return false;
}

/// Relations and conjunctions of them: what the loop over relations decides in full.
bool is_plain(const Formula& formula) {
    return formula.kind == Formula::Kind::relation ||
           (formula.kind == Formula::Kind::conjunction && std::ranges::all_of(formula.parts, is_plain));
}

constexpr Bits first_bits = 64;

/// A relation inside the enumeration, with the numbers that the evaluator gave its sides. None where the
/// evaluator is no help: chains are decided link by link, equalities by normal forms, and what is rational
/// (at the first instance, for a guess) exactly and as quickly.
struct Link {
    const Formula* relation;
    std::optional<std::size_t> smaller;
    std::optional<std::size_t> larger;
};

std::vector<Link> links_of(const Formula& universal, const Box& first, const Context& context,
                           Evaluator& evaluator) {
    std::vector<Link> out;
    for (const Formula* relation : relations_of(universal)) {
        out.push_back({relation, {}, {}});
        const auto is_rational = [&](const Expr& term) {
            return exact_range(term, first, context.quantities).has_value();
        };
        const Relation kind = relation->relation;
        const bool is_chain = relation->terms.size() != 2;
        if (is_chain || kind == Relation::equal || std::ranges::all_of(relation->terms, is_rational))
            continue;
        const bool rising = kind == Relation::less || kind == Relation::less_equal;
        out.back().smaller = evaluator.add(relation->terms[rising ? 0 : 1]);
        out.back().larger = evaluator.add(relation->terms[rising ? 1 : 0]);
    }
    return out;
}

/// slack_of (decide.hpp) at the instance that the evaluator was moved to.
std::optional<Interval> slack_at(const Link& link, const Evaluator& evaluator) {
    if (!link.smaller) return {};
    const Interval& divisor = evaluator.value(*link.smaller);
    if (mpfr_sgn(divisor.lower()) <= 0) return {};
    return div(evaluator.value(*link.larger), divisor, first_bits);
}

bool is_above_one(const std::optional<Interval>& slack) {
    return slack && mpfr_cmp_ui(slack->lower(), 1) > 0;
}

} // namespace

Decision decide_enumerate(const Formula& universal, const Box& box, const Context& context) {
    if (!is_plain(universal.parts.front()))
        throw Error(ErrorCode::bad_formula,
                    "a quantifier over integers stands over something other than relations and conjunctions");
    Decision out;
    Rational instances = 1;
    for (const Bound& bound : universal.bounds) instances *= bound.upper - bound.lower + 1;
    if (instances > Rational(context.effort.cases)) {
        out.why = Why::case_budget;
        return out;
    }
    Evaluator evaluator(context.quantities, first_bits);
    Box point = box;
    for (const Bound& bound : universal.bounds) point[bound.name] = {bound.lower, bound.lower};
    const std::vector<Link> links = links_of(universal, point, context, evaluator);
    do {
        evaluator.move_to(point);
        for (const Link& link : links) {
            // Mostly the slack at 64 bits tells already; what it leaves open is decided with care.
            const Formula* relation = link.relation;
            auto slack = slack_at(link, evaluator);
            if (!is_above_one(slack)) slack = slack_of(*relation, point, context, first_bits);
            const bool told = relation->terms.size() == 2 && is_above_one(slack);
            const auto [truth, bits] =
                told ? TruthAt{Truth::yes, first_bits} : truth_of(*relation, point, context);
            out.bits = std::max(out.bits, bits);
            if (truth == Truth::no) {
                out.verdict = Verdict::refuted;
                out.witness = counterexample(*relation, point, context, 128);
                out.refutation = {relation, point};
                return out;
            }
            if (truth == Truth::unknown) {
                out.why = Why::precision_cap;
                return out;
            }
            if (slack) out.slack = out.slack ? min(*out.slack, *slack) : *slack;
        }
        ++out.cases;
    } while (advance(point, universal.bounds));
    out.verdict = Verdict::proved;
    out.records.push_back("cases " + std::to_string(out.cases));
    return out;
}

} // namespace kvproof
