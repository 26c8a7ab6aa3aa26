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

/// A relation inside the enumeration. Its terms by their numbers in the evaluator; none where all of them are
/// rational at the first instance: exact arithmetic decides those as quickly.
struct Link {
    const Formula* relation;
    std::vector<std::size_t> terms;
};

std::vector<Link> links_of(const Formula& universal, const Box& first, const Context& context,
                           Evaluator& evaluator) {
    std::vector<Link> out;
    for (const Formula* relation : relations_of(universal)) {
        out.push_back({relation, {}});
        const auto is_rational = [&](const Expr& term) {
            return exact_range(term, first, context.quantities).has_value();
        };
        if (std::ranges::all_of(relation->terms, is_rational)) continue;
        for (const Expr& term : relation->terms) out.back().terms.push_back(evaluator.add(term));
    }
    return out;
}

/// slack_of (decide.hpp) at the instance that the evaluator was moved to.
std::optional<Interval> slack_at(const Link& link, const Evaluator& evaluator) {
    const Relation kind = link.relation->relation;
    if (kind == Relation::equal) return {};
    const bool rising = kind == Relation::less || kind == Relation::less_equal;
    std::optional<Interval> least;
    for (std::size_t i = 1; i < link.terms.size(); ++i) {
        const Interval& small = evaluator.value(link.terms[rising ? i - 1 : i]);
        const Interval& large = evaluator.value(link.terms[rising ? i : i - 1]);
        if (less(Interval(), small) != Truth::yes) continue;
        const Interval ratio = div(large, small, first_bits);
        least = least ? min(*least, ratio) : ratio;
    }
    return least;
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
    const Interval one(Rational(1), 2);
    Evaluator evaluator(context.quantities, first_bits);
    Box point = box;
    for (const Bound& bound : universal.bounds) point[bound.name] = {bound.lower, bound.lower};
    const std::vector<Link> links = links_of(universal, point, context, evaluator);
    do {
        evaluator.move_to(point);
        for (const Link& link : links) {
            // Mostly the slack at 64 bits tells already; what it leaves open is decided with care.
            const Formula* relation = link.relation;
            const auto slack = link.terms.empty() ? slack_of(*relation, point, context, first_bits)
                                                  : slack_at(link, evaluator);
            const bool told = slack && relation->terms.size() == 2 && less(one, *slack) == Truth::yes;
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
