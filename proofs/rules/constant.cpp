#include "proofs/rules/decide.hpp"

#include "lib/exact/decimal.hpp"
#include "lib/exact/identity.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr Bits first_bits = 64;
constexpr int printed_digits = 24;

bool allows_equality(Relation relation) {
    return relation != Relation::less && relation != Relation::greater;
}

/// Whether all terms are defined and have one normal form, so that =, <= and >= hold.
bool all_identical(const Formula& relation, const Box& box, const Context& context) {
    for (std::size_t i = 1; i < relation.terms.size(); ++i)
        if (identical(relation.terms[i - 1], relation.terms[i]) != Truth::yes) return false;
    return all_defined(relation, box, context);
}

/// The number among the terms, if there is one.
const Expr* literal(const Formula& relation) {
    const auto at = std::ranges::find(relation.terms, Op::rational, &Expr::op);
    return at == relation.terms.end() ? nullptr : &*at;
}

/// The term that the claim is about: the first that is not a plain number.
const Expr* subject(const Formula& relation) {
    const auto at =
        std::ranges::find_if(relation.terms, [](const Expr& term) { return term.op() != Op::rational; });
    return at == relation.terms.end() ? nullptr : &*at;
}

void describe(const Formula& relation, const Box& box, const Context& context, Bits bits, Decision& out) {
    if (const Expr* term = subject(relation)) {
        const auto range = exact_range(*term, box, context.quantities);
        if (range)
            out.exact = range->lower;
        else
            out.enclosure = enclose(*term, box, context.quantities, bits);
    }
    for (const Expr& term : relation.terms)
        for (const std::string& name : quantities_of(term))
            if (std::string place = context.quantities.where_attained(name, bits); !place.empty())
                out.witness.push_back({name, {std::move(place)}});
    if (out.verdict == Verdict::proved) out.slack = slack_of(relation, box, context, bits);
    if (out.verdict == Verdict::refuted) out.refutation = {&relation, box};
    if (out.verdict == Verdict::refuted)
        std::ranges::move(counterexample(relation, box, context, bits), std::back_inserter(out.witness));
}

std::string shown(const Expr& term, const Box& box, const Context& context, Bits bits) {
    if (const auto range = exact_range(term, box, context.quantities);
        range && range->lower == range->upper) {
        std::string exact = to_string(range->lower);
        if (exact.size() <= 40) return exact;
    }
    const Interval value = enclose(term, box, context.quantities, bits);
    const std::string digits = shared_decimal(value, printed_digits);
    return digits.empty() ? "[" + lower_decimal(value, 6) + ", " + upper_decimal(value, 6) + "]" : digits;
}

std::optional<Rational> exact_point(const Expr& term, const Box& box, const Context& context) {
    const auto range = exact_range(term, box, context.quantities);
    if (!range || range->lower != range->upper) return {};
    return range->lower;
}

/// large / small where small is certainly positive, rounded only once where both are rational.
std::optional<Interval> ratio_of(const Expr& large, const Expr& small, const Box& box, const Context& context,
                                 Bits bits) {
    const auto exact_small = exact_point(small, box, context);
    if (exact_small && *exact_small <= 0) return {};
    const auto exact_large = exact_small ? exact_point(large, box, context) : std::nullopt;
    if (exact_large) return Interval(*exact_large / *exact_small, bits);
    const Interval divisor = enclose(small, box, context.quantities, bits);
    if (less(Interval(), divisor) != Truth::yes) return {};
    return div(enclose(large, box, context.quantities, bits), divisor, bits);
}

} // namespace

bool all_defined(const Formula& relation, const Box& box, const Context& context) {
    return std::ranges::none_of(relation.terms, [&](const Expr& term) {
        return enclose(term, box, context.quantities, first_bits).is_undefined();
    });
}

TruthAt truth_of(const Formula& relation, const Box& box, const Context& context) {
    for (Bits bits = first_bits; bits <= context.effort.bits; bits *= 2) {
        const Truth truth = holds(relation, box, context.quantities, bits);
        if (truth != Truth::unknown) return {truth, bits};
        // Enclosures never tell equal numbers apart from close ones; one normal form does.
        if (bits == first_bits && allows_equality(relation.relation) && all_identical(relation, box, context))
            return {Truth::yes, 0};
    }
    return {Truth::unknown, context.effort.bits};
}

Decision decide_constant(const Formula& relation, const Box& box, const Context& context) {
    Decision out;
    out.cases = 1;
    const auto [truth, bits] = truth_of(relation, box, context);
    out.bits = bits;
    if (truth == Truth::unknown) {
        out.why = Why::precision_cap;
        return out;
    }
    out.verdict = truth == Truth::yes ? Verdict::proved : Verdict::refuted;
    const bool exact = std::ranges::all_of(relation.terms, [&](const Expr& term) {
        return exact_range(term, box, context.quantities).has_value();
    });
    if (exact) out.bits = 0;
    describe(relation, box, context, std::max<Bits>(bits, 128), out);
    // An equality shown by normal forms makes the subject known exactly, if a plain number stands beside it.
    if (truth == Truth::yes && relation.relation == Relation::equal)
        if (const Expr* number = literal(relation)) out.exact = number->value();
    return out;
}

std::optional<Interval> slack_of(const Formula& relation, const Box& box, const Context& context, Bits bits) {
    const bool rising = relation.relation == Relation::less || relation.relation == Relation::less_equal;
    if (relation.relation == Relation::equal) return {};
    std::optional<Interval> least;
    for (std::size_t i = 1; i < relation.terms.size(); ++i) {
        const Expr& left = relation.terms[i - 1];
        const Expr& right = relation.terms[i];
        const auto ratio = ratio_of(rising ? right : left, rising ? left : right, box, context, bits);
        if (ratio) least = least ? min(*least, *ratio) : *ratio;
    }
    return least;
}

std::vector<Witness> counterexample(const Formula& relation, const Box& point, const Context& context,
                                    Bits bits) {
    std::vector<Witness> out;
    for (const auto& [name, range] : point) out.push_back({name, {to_string(range.lower)}});
    for (std::size_t i = 1; i < relation.terms.size(); ++i) {
        Formula link = relation;
        link.terms = {relation.terms[i - 1], relation.terms[i]};
        if (holds(link, point, context.quantities, bits) != Truth::no) continue;
        out.push_back({"fails", {to_infix(link)}});
        out.push_back({"left", {shown(link.terms[0], point, context, bits)}});
        out.push_back({"right", {shown(link.terms[1], point, context, bits)}});
        break;
    }
    return out;
}

} // namespace kvproof
