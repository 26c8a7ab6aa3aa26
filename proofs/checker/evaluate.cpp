#include "evaluate.hpp"

#include "quantities.hpp"

#include <algorithm>

namespace kvcheck {

Evaluator::Evaluator(const Statement& statement, unsigned precision, const Quantities& quantities)
    : statement_(statement), quantities_(quantities), fixed_(precision + 64), forms_(statement),
      variables_(statement.slots), exact_(statement.nodes.size()), enclosures_(statement.nodes.size()) {}

void Evaluator::set(int slot, const Range& range) {
    variables_[slot] = range;
    ++now_;
}

std::optional<Range> Evaluator::exact_value(const Node& node) {
    switch (node.op) {
    case Op::number: return Range{node.number, node.number};
    case Op::variable: return variables_[node.slot];
    case Op::quantity: {
        const std::optional<mpq_class> value = quantities_.rational(node.name);
        if (!value) return std::nullopt;
        return Range{*value, *value};
    }
    case Op::function: {
        const std::optional<mpq_class> value = function(node).exact();
        if (!value) return std::nullopt;
        return Range{*value, *value};
    }
    default: break;
    }
    const bool leaf_or_transcendental = node.op < Op::add || node.op > Op::floor;
    if (leaf_or_transcendental) return std::nullopt;
    const Range* left = exact(node.left);
    const Range* right = node.right < 0 || left == nullptr ? left : exact(node.right);
    if (left == nullptr || right == nullptr) return std::nullopt;
    return apply(node.op, *left, *right);
}

FunctionValue Evaluator::function(const Node& node) {
    std::vector<mpq_class> arguments;
    for (const int operand : node.operands) {
        const Range* range = exact(operand);
        if (range == nullptr || !range->is_point()) throw Undefined{};
        arguments.push_back(range->lo);
    }
    if (node.name.starts_with("probe."))
        return {quantities_.risk(node.name, arguments[0], arguments[1]), 0, 0};
    return function_value(node.name, arguments);
}

const Range* Evaluator::exact(int id) {
    const Node& node = statement_.nodes[id];
    auto& memo = exact_[id];
    const long when = node.constant ? 0 : now_;
    if (memo.when != when) {
        memo.value = exact_value(node);
        memo.when = when;
    }
    return memo.value ? &*memo.value : nullptr;
}

Interval Evaluator::enclosure_of(const Node& node) {
    if (node.op == Op::pi) return fixed_.pi();
    if (node.op == Op::e) return fixed_.e();
    if (node.op == Op::quantity) return quantities_.enclosure(node.name, fixed_);
    if (node.op == Op::function) return function(node).enclosure(fixed_);
    const Interval& a = enclosure(node.left);
    const Interval& b = node.right < 0 ? a : enclosure(node.right);
    switch (node.op) {
    case Op::add: return Fixed::add(a, b);
    case Op::subtract: return Fixed::sub(a, b);
    case Op::multiply: return fixed_.mul(a, b);
    case Op::divide: return fixed_.div(a, b);
    case Op::negate: return Fixed::negate(a);
    case Op::abs: return Fixed::abs(a);
    case Op::min: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Op::max: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Op::floor: return fixed_.floor(a);
    case Op::sqrt: return fixed_.sqrt(a);
    case Op::exp: return fixed_.exp(a);
    case Op::log: return fixed_.log(a);
    case Op::erf: return fixed_.erf(a);
    case Op::erfc: return Fixed::sub(fixed_.integer(1), fixed_.erf(a));
    case Op::tanh: return fixed_.tanh(a);
    case Op::power: {
        const Range* n = exact(node.right);
        if (n == nullptr || !n->is_point() || n->lo.get_den() != 1) return fixed_.real_power(a, b);
        if (abs(n->lo) > 65536) throw Undefined{};
        return fixed_.power(a, n->lo.get_num().get_si());
    }
    default: throw Undefined{};
    }
}

const Interval& Evaluator::enclosure(int id) {
    const Node& node = statement_.nodes[id];
    auto& memo = enclosures_[id];
    const long when = node.constant ? 0 : now_;
    if (memo.when != when) {
        const Range* range = exact(id);
        memo.value = range != nullptr ? fixed_.range(range->lo, range->hi) : enclosure_of(node);
        memo.when = when;
    }
    return memo.value;
}

namespace {

/// The truth of a relation between two ranges, of fractions or of integers at one scale.
template <class Ends>
Truth compared(Relation relation, const Ends& a, const Ends& b) {
    switch (relation) {
    case Relation::less: return a.hi < b.lo ? Truth::yes : a.lo >= b.hi ? Truth::no : Truth::open;
    case Relation::less_equal: return a.hi <= b.lo ? Truth::yes : a.lo > b.hi ? Truth::no : Truth::open;
    case Relation::greater: return compared(Relation::less, b, a);
    case Relation::greater_equal: return compared(Relation::less_equal, b, a);
    case Relation::equal: break;
    }
    if (a.hi < b.lo || b.hi < a.lo) return Truth::no;
    return a.lo == a.hi && b.lo == b.hi && a.lo == b.lo ? Truth::yes : Truth::open;
}

} // namespace

Truth Evaluator::link(Relation relation, int a, int b) {
    try {
        const Range* x = exact(a);
        const Range* y = exact(b);
        if (x != nullptr && y != nullptr) return compared(relation, *x, *y);
        const Truth truth = compared(relation, enclosure(a), enclosure(b));
        const bool strict = relation == Relation::less || relation == Relation::greater;
        return truth == Truth::open && !strict && forms_.equal(a, b) ? Truth::yes : truth;
    } catch (const Undefined&) {
        return Truth::open;
    }
}

Truth Evaluator::truth(const Formula& relation) {
    Truth all = Truth::yes;
    for (std::size_t i = 1; i < relation.terms.size(); ++i) {
        const Truth truth = link(relation.relation, relation.terms[i - 1], relation.terms[i]);
        all = std::min(all, truth);
    }
    return all;
}

bool Evaluator::identical(const Formula& relation) {
    try {
        for (std::size_t i = 1; i < relation.terms.size(); ++i) {
            if (!forms_.equal(relation.terms[i - 1], relation.terms[i])) return false;
        }
        for (const int term : relation.terms) (void)enclosure(term);
        return true;
    } catch (const Undefined&) {
        return false;
    }
}

} // namespace kvcheck
