#include "lib/exact/identity.hpp"
#include "proofs/rules/decide.hpp"

#include <algorithm>
#include <iterator>

namespace kvproof {
namespace {

Box midpoint_of(const Box& box, const std::vector<Bound>& bounds) {
    Box point = box;
    for (const Bound& bound : bounds) {
        const Range& side = box.at(bound.name);
        const Rational middle = (side.lower + side.upper) / 2;
        point[bound.name] = {middle, middle};
    }
    return point;
}

/// The side that is longest relative to its range in the statement.
const Bound& longest_side(const Box& box, const std::vector<Bound>& bounds) {
    const auto share = [&box](const Bound& bound) {
        const Rational whole = bound.upper - bound.lower;
        const Range& side = box.at(bound.name);
        return whole == 0 ? Rational(0) : Rational((side.upper - side.lower) / whole);
    };
    return *std::ranges::max_element(bounds, {}, share);
}

std::vector<std::string> box_text(const Box& box, const std::vector<Bound>& bounds) {
    std::vector<std::string> out;
    for (const Bound& bound : bounds)
        out.push_back(bound.name + " in [" + to_string(box.at(bound.name).lower) + ", " +
                      to_string(box.at(bound.name).upper) + "]");
    return out;
}

/// A box whose sides have all been halved as often as the arithmetic has bits.
bool is_tiny(const Box& box, const std::vector<Bound>& bounds, Bits bits) {
    return std::ranges::all_of(bounds, [&](const Bound& bound) {
        const Range& side = box.at(bound.name);
        return (side.upper - side.lower) * power(Rational(2), bits) <= bound.upper - bound.lower;
    });
}

/// One relation over the whole box: boxes are halved until the relation holds on each, or fails at some
/// point. A tiny box that is still undecided stays so (a bound that is attained, say); a counterexample may
/// lie elsewhere.
Decision cover_relation(const Formula& relation, const std::vector<Bound>& bounds, const Box& whole,
                        const Context& context) {
    constexpr Bits bits = 128;
    Decision out;
    out.bits = bits;
    std::vector<Box> open = {whole};
    std::optional<Box> undecided;
    std::uint64_t nodes = 0;
    while (!open.empty()) {
        const Box box = std::move(open.back());
        open.pop_back();
        if (++nodes > context.effort.nodes) {
            out.why = Why::node_budget;
            out.witness.push_back({"open box", box_text(box, bounds)});
            return out;
        }
        const Truth over_box = holds(relation, box, context.quantities, bits);
        const Box middle = midpoint_of(box, bounds);
        if (over_box != Truth::yes && holds(relation, middle, context.quantities, bits) == Truth::no) {
            out.verdict = Verdict::refuted;
            out.witness = counterexample(relation, middle, context, bits);
            out.refutation = {&relation, middle};
            return out;
        }
        if (over_box == Truth::yes) {
            ++out.cases;
            out.records.emplace_back("leaf");
            if (const auto slack = slack_of(relation, middle, context, bits))
                out.slack = out.slack ? min(*out.slack, *slack) : *slack;
            continue;
        }
        if (is_tiny(box, bounds, bits)) {
            undecided = box;
            continue;
        }
        const Bound& side = longest_side(box, bounds);
        const Range& range = box.at(side.name);
        const Rational half = (range.lower + range.upper) / 2;
        out.records.push_back("split " + side.name + " " +
                              to_string(half)); // then the lower box, popped first
        Box upper = box;
        Box lower = box;
        lower[side.name].upper = half;
        upper[side.name].lower = half;
        open.push_back(std::move(upper));
        open.push_back(std::move(lower));
    }
    if (undecided) {
        out.why = Why::node_budget;
        out.witness.push_back({"open box", box_text(*undecided, bounds)});
        return out;
    }
    out.verdict = Verdict::proved;
    out.witness.push_back({"boxes", {std::to_string(out.cases)}});
    return out;
}

Decision cover_part(const Formula& part, const std::vector<Bound>& bounds, const Box& box,
                    const Context& context) {
    if (part.kind == Formula::Kind::relation)
        return part.relation == Relation::equal ? decide_identity(part, box, context)
                                                : cover_relation(part, bounds, box, context);
    if (part.kind != Formula::Kind::conjunction) return decide(part, box, context);
    Decision all = cover_part(part.parts.front(), bounds, box, context);
    for (std::size_t i = 1; i < part.parts.size(); ++i)
        all = both(std::move(all), cover_part(part.parts[i], bounds, box, context));
    return all;
}

} // namespace

Decision decide_cover(const Formula& universal, const Box& box, const Context& context) {
    Box inner = box;
    for (const Bound& bound : universal.bounds) inner[bound.name] = {bound.lower, bound.upper};
    return cover_part(universal.parts.front(), universal.bounds, inner, context);
}

} // namespace kvproof
