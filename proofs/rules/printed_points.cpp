#include "proofs/rules/printed_points.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr Bits bits = 128;

/// Two neighbours of a chain, and how far they are from failing.
struct Link {
    Formula relation;
    Expr gap; ///< at least 0 where the link holds; of an equality, 0
    std::vector<std::string> names;
    std::vector<bool> rising; ///< whether the gap grows with the variable, as far as probing tells

    [[nodiscard]] bool is_equality() const { return relation.relation == Relation::equal; }
};

/// Whether the gap is larger where the variable is at its upper end, the others ranging.
bool is_rising(const Expr& gap, const std::string& name, Box& box, const Context& context) {
    const Range whole = box.at(name);
    const auto sum_at = [&](const Rational& value) -> std::optional<Rational> {
        box[name] = {value, value};
        const auto range = exact_range(gap, box, context.quantities);
        if (!range) return {};
        return range->lower + range->upper;
    };
    const auto low = sum_at(whole.lower);
    const auto high = sum_at(whole.upper);
    box[name] = whole;
    return low && high && *low <= *high;
}

std::vector<Link> links_of(const std::vector<const Formula*>& relations, Box box, const Context& context) {
    std::vector<Link> out;
    for (const Formula* relation : relations)
        for (std::size_t i = 1; i < relation->terms.size(); ++i) {
            Formula two = *relation;
            two.terms = {relation->terms[i - 1], relation->terms[i]};
            const bool falls = two.relation == Relation::greater || two.relation == Relation::greater_equal;
            Link link{
                two, Expr::apply(Op::sub, {two.terms[falls ? 0 : 1], two.terms[falls ? 1 : 0]}), {}, {}};
            collect_variables(link.gap, link.names);
            for (const std::string& name : link.names)
                link.rising.push_back(is_rising(link.gap, name, box, context));
            out.push_back(std::move(link));
        }
    return out;
}

Truth truth_at(const Link& link, const Box& point, const Context& context) {
    return holds(link.relation, point, context.quantities, bits);
}

/// The point with the link's variables moved to where its gap is largest, or smallest.
Box corner(const Link& link, Box point, const Box& box, bool largest) {
    for (std::size_t i = 0; i < link.names.size(); ++i) {
        const Range& side = box.at(link.names[i]);
        const Rational& end = link.rising[i] == largest ? side.upper : side.lower;
        point[link.names[i]] = {end, end};
    }
    return point;
}

Box between(const Box& a, const Box& b) {
    Box out = a;
    for (auto& [name, value] : out) {
        const Rational middle = (value.lower + b.at(name).lower) / 2;
        value = {middle, middle};
    }
    return out;
}

bool is_short(const Link& link, const Box& point, const Context& context) {
    const auto gap = exact_range(link.gap, point, context.quantities);
    return gap && gap->lower < 0;
}

/// A point on the way to the corner where the link holds, rather near to the start.
std::optional<Box> repaired(const Link& link, const Box& start, const Box& box, const Context& context) {
    constexpr int halvings = 24; // where it holds on a short stretch only
    constexpr int enough = 3;
    const bool short_of_it = is_short(link, start, context);
    Box near = start;
    Box far = corner(link, start, box, short_of_it || !link.is_equality());
    std::optional<Box> good;
    if (truth_at(link, far, context) == Truth::yes) good = far;
    for (int i = 0; i < halvings && !(good && i >= enough); ++i) {
        Box middle = between(near, far);
        const bool is_good = truth_at(link, middle, context) == Truth::yes;
        if (is_good) good = middle;
        (is_good || is_short(link, middle, context) != short_of_it ? far : near) = std::move(middle);
    }
    return good;
}

void search_good(const std::vector<Link>& links, const Box& box, const Context& context, Box point,
                 const std::vector<const Formula*>& relations, PrintedPoints& found) {
    for (std::size_t round = 0; round < 4 * links.size() && !found.holds; ++round) {
        const auto at = std::ranges::find_if(
            links, [&](const Link& link) { return truth_at(link, point, context) != Truth::yes; });
        if (at == links.end()) return;
        auto moved = repaired(*at, point, box, context);
        if (!moved) return;
        point = std::move(*moved);
        look_at(point, relations, context, found);
    }
}

/// The points of a lattice that spreads over the box, and the like of ends and middles alone: a border may be
/// all that differs. Coordinate k of point i is i 3^k modulo the prime 257, of which 3 is a primitive root.
void scan(const Box& box, const std::vector<const Formula*>& relations, const Context& context,
          PrintedPoints& found) {
    constexpr long prime = 257;
    for (long i = 0; i < 2 * prime && !found.both(); ++i) {
        Box point = box;
        long step = i / 2;
        for (auto& [name, side] : point) {
            const Rational share = i % 2 == 0 ? Rational(step, prime - 1) : Rational(step % 3, 2);
            const Rational value = side.lower + (side.upper - side.lower) * share;
            side = {value, value};
            step = step * 3 % prime;
        }
        look_at(point, relations, context, found);
    }
}

} // namespace

void collect_variables(const Expr& term, std::vector<std::string>& names) {
    if (term.op() == Op::variable && std::ranges::find(names, term.name()) == names.end())
        names.push_back(term.name());
    for (const Expr& argument : term.args()) collect_variables(argument, names);
}

Box middle_of(const Box& box) {
    Box out = box;
    for (auto& [name, side] : out) {
        const Rational middle = (side.lower + side.upper) / 2;
        side = {middle, middle};
    }
    return out;
}

void look_at(const Box& point, const std::vector<const Formula*>& relations, const Context& context,
             PrintedPoints& found) {
    bool all = true;
    for (const Formula* relation : relations) {
        const Truth truth = holds(*relation, point, context.quantities, bits);
        if (truth == Truth::no && !found.fails) found.fails = {relation, point};
        all = all && truth == Truth::yes;
    }
    if (all && !found.holds) found.holds = point;
}

void search_points(const std::vector<const Formula*>& relations, const Box& box, const Context& context,
                   PrintedPoints& found) {
    const Box middle = middle_of(box);
    const std::vector<Link> links = links_of(relations, box, context);
    for (const Link& link : links) {
        if (found.fails) break;
        look_at(corner(link, middle, box, false), relations, context, found);
        if (link.is_equality()) look_at(corner(link, middle, box, true), relations, context, found);
    }
    if (!found.holds) search_good(links, box, context, middle, relations, found);
    if (!found.both()) scan(box, relations, context, found);
}

} // namespace kvproof
