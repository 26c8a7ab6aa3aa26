#include "lib/error.hpp"
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
    constexpr Bits first_bits = 64;
    const Interval one(Rational(1), 2);
    const std::vector<const Formula*> relations = relations_of(universal);
    Box point = box;
    for (const Bound& bound : universal.bounds) point[bound.name] = {bound.lower, bound.lower};
    do {
        for (const Formula* relation : relations) {
            // Mostly the slack at 64 bits tells already; what it leaves open is decided with care.
            const auto slack = slack_of(*relation, point, context, first_bits);
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
