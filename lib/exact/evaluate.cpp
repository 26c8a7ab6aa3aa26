#include "lib/exact/evaluate.hpp"

#include "lib/error.hpp"
#include "lib/exact/operation.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// The arguments of a function where all of them are known exactly.
std::optional<std::vector<Rational>> exact_arguments(const Expr& function, const Box& box,
                                                     const Quantities& quantities) {
    std::vector<Rational> out;
    for (const Expr& argument : function.args()) {
        const auto range = exact_range(argument, box, quantities);
        if (!range || range->lower != range->upper) return {};
        out.push_back(range->lower);
    }
    return out;
}

struct IntervalAlgebra {
    using Value = Interval;
    const Box& box;
    const Quantities& quantities;
    Bits bits;

    [[nodiscard]] Value rational(const Rational& value) const { return Interval(value, bits); }
    [[nodiscard]] Value pi() const { return kvproof::pi(bits); }
    [[nodiscard]] Value e() const { return euler_e(bits); }
    [[nodiscard]] Value variable(const std::string& name) const {
        const Range& range = box.at(name);
        return Interval::between(range.lower, range.upper, bits);
    }
    [[nodiscard]] Value quantity(const std::string& name) const { return quantities.enclose(name, bits); }
    [[nodiscard]] Value apply(const Expr& node, const std::vector<Value>& a) const {
        if (node.op() != Op::function) return apply_operation(node, a.front(), a.back(), bits);
        const auto arguments = exact_arguments(node, box, quantities);
        if (!arguments) return Interval::undefined();
        return quantities.enclose_function(node.name(), *arguments, bits);
    }
};

Range hull_of(std::initializer_list<Rational> corners) {
    return {std::min(corners), std::max(corners)};
}

Range power_range(const Range& base, long n) {
    const Rational a = power(base.lower, n);
    const Rational b = power(base.upper, n);
    Range out = hull_of({a, b});
    if (n > 0 && n % 2 == 0 && base.lower < 0 && base.upper > 0) out.lower = 0;
    return out;
}

/// No exact number is built that is longer than this.
constexpr unsigned most_bits = 1U << 20;

unsigned size_in_bits(const Range& x) {
    std::size_t bits = 1;
    for (const Rational* end : {&x.lower, &x.upper})
        for (const Integer& part : {Integer(abs(numerator(*end))), Integer(denominator(*end))})
            if (part != 0) bits = std::max<std::size_t>(bits, msb(part) + 1);
    return static_cast<unsigned>(std::min<std::size_t>(bits, most_bits));
}

struct RangeAlgebra {
    using Value = std::optional<Range>;
    const Box& box;
    const Quantities& quantities;

    [[nodiscard]] static Value rational(const Rational& value) { return Range{value, value}; }
    [[nodiscard]] static Value pi() { return {}; }
    [[nodiscard]] static Value e() { return {}; }
    [[nodiscard]] Value variable(const std::string& name) const { return box.at(name); }
    [[nodiscard]] Value quantity(const std::string& name) const {
        const auto value = quantities.exact(name);
        return value ? Value(Range{*value, *value}) : Value();
    }
    [[nodiscard]] Value apply(const Expr& node, const std::vector<Value>& arguments) const {
        if (!std::ranges::all_of(arguments, [](const Value& v) { return v.has_value(); })) return {};
        const Range& x = *arguments[0];
        const Range& y = *arguments.back();
        switch (node.op()) {
        case Op::neg: return Range{-x.upper, -x.lower};
        case Op::add: return Range{x.lower + y.lower, x.upper + y.upper};
        case Op::sub: return Range{x.lower - y.upper, x.upper - y.lower};
        case Op::mul:
            return hull_of({x.lower * y.lower, x.lower * y.upper, x.upper * y.lower, x.upper * y.upper});
        case Op::div:
            if (y.lower <= 0 && y.upper >= 0) return {};
            return hull_of({x.lower / y.lower, x.lower / y.upper, x.upper / y.lower, x.upper / y.upper});
        case Op::pow:
            if (y.lower != y.upper || denominator(y.lower) != 1 || abs(y.lower) > 100000) return {};
            if (y.lower < 0 && x.lower <= 0 && x.upper >= 0) return {};
            if (size_in_bits(x) * abs(y.lower) > most_bits) return {}; // left to the enclosures
            return power_range(x, static_cast<long>(numerator(y.lower)));
        case Op::abs:
            if (x.lower >= 0) return x;
            return Range{x.upper <= 0 ? -x.upper : Rational(0), std::max(Rational(-x.lower), x.upper)};
        case Op::min: return Range{std::min(x.lower, y.lower), std::min(x.upper, y.upper)};
        case Op::max: return Range{std::max(x.lower, y.lower), std::max(x.upper, y.upper)};
        case Op::floor: return Range{Rational(kvproof::floor(x.lower)), Rational(kvproof::floor(x.upper))};
        case Op::function: return function(node.name(), arguments);
        default: return {};
        }
    }
    [[nodiscard]] Value function(const std::string& name, const std::vector<Value>& arguments) const {
        std::vector<Rational> points;
        for (const Value& argument : arguments) {
            if (argument->lower != argument->upper) return {};
            points.push_back(argument->lower);
        }
        const auto value = quantities.exact_function(name, points);
        return value ? Value(Range{*value, *value}) : Value();
    }
};

class NoQuantities final : public Quantities {
public:
    [[nodiscard]] Interval enclose(const std::string& name, Bits /*bits*/) const override {
        throw Error(ErrorCode::unknown_quantity, "no quantity is named " + name + " here");
    }
    [[nodiscard]] std::optional<Rational> exact(const std::string& name) const override {
        throw Error(ErrorCode::unknown_quantity, "no quantity is named " + name + " here");
    }
};

Truth less_exact(const Range& x, const Range& y) {
    if (x.upper < y.lower) return Truth::yes;
    return x.lower >= y.upper ? Truth::no : Truth::unknown;
}

Truth equal_exact(const Range& x, const Range& y) {
    if (x.upper < y.lower || y.upper < x.lower) return Truth::no;
    const bool points = x.lower == x.upper && y.lower == y.upper;
    return points ? Truth::yes : Truth::unknown;
}

template <class Value, class Less, class Equal>
Truth compare(Relation relation, const Value& x, const Value& y, const Less& less, const Equal& equal) {
    switch (relation) {
    case Relation::less: return less(x, y);
    case Relation::less_equal: return !less(y, x);
    case Relation::greater: return less(y, x);
    case Relation::greater_equal: return !less(x, y);
    case Relation::equal: return equal(x, y);
    }
    return Truth::unknown;
}

} // namespace

Interval Quantities::enclose_function(const std::string& /*name*/, const std::vector<Rational>& /*arguments*/,
                                      Bits /*bits*/) const {
    return Interval::undefined();
}

std::optional<Rational> Quantities::exact_function(const std::string& /*name*/,
                                                   const std::vector<Rational>& /*arguments*/) const {
    return {};
}

const Quantities& no_quantities() {
    static const NoQuantities none;
    return none;
}

Interval enclose(const Expr& expr, const Box& box, const Quantities& quantities, Bits bits) {
    IntervalAlgebra algebra{box, quantities, bits};
    return fold(expr, algebra);
}

std::optional<Range> exact_range(const Expr& expr, const Box& box, const Quantities& quantities) {
    RangeAlgebra algebra{box, quantities};
    return fold(expr, algebra);
}

Truth holds(const Formula& relation, const Box& box, const Quantities& quantities, Bits bits) {
    Truth all = Truth::yes;
    std::optional<Range> left_exact = exact_range(relation.terms[0], box, quantities);
    for (std::size_t i = 1; i < relation.terms.size(); ++i) {
        std::optional<Range> right_exact = exact_range(relation.terms[i], box, quantities);
        if (left_exact && right_exact) {
            all = all & compare(relation.relation, *left_exact, *right_exact, less_exact, equal_exact);
        } else {
            const Interval left = enclose(relation.terms[i - 1], box, quantities, bits);
            const Interval right = enclose(relation.terms[i], box, quantities, bits);
            all = all & compare(
                            relation.relation, left, right,
                            [](const Interval& a, const Interval& b) { return less(a, b); },
                            [](const Interval& a, const Interval& b) { return equal(a, b); });
        }
        left_exact = std::move(right_exact);
    }
    return all;
}

} // namespace kvproof
