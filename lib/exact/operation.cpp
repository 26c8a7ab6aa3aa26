#include "lib/exact/operation.hpp"

#include "lib/error.hpp"

namespace kvproof {
namespace {

/// The integer that a constant exponent is, if it is one of moderate size.
std::optional<long> integer_exponent(const Expr& exponent) {
    const Expr& inner = exponent.op() == Op::neg ? exponent.args()[0] : exponent;
    if (inner.op() != Op::rational || denominator(inner.value()) != 1 || abs(inner.value()) > 100000)
        return {};
    const auto value = static_cast<long>(numerator(inner.value()));
    return exponent.op() == Op::neg ? -value : value;
}

Interval floor(const Interval& x) {
    if (!x.is_bounded()) return Interval::undefined();
    Interval out(x);
    mpfr_floor(out.mutable_lower(), x.lower());
    mpfr_floor(out.mutable_upper(), x.upper());
    return out;
}

} // namespace

Interval apply_operation(const Expr& node, const Interval& x, const Interval& y, Bits bits) {
    switch (node.op()) {
    case Op::neg: return neg(x);
    case Op::add: return add(x, y, bits);
    case Op::sub: return sub(x, y, bits);
    case Op::mul: return mul(x, y, bits);
    case Op::div: return div(x, y, bits);
    case Op::pow:
        if (const auto n = integer_exponent(node.args()[1])) return pow(x, *n, bits);
        return pow(x, y, bits);
    case Op::sqrt: return sqrt(x, bits);
    case Op::exp: return exp(x, bits);
    case Op::log: return log(x, bits);
    case Op::erf: return erf(x, bits);
    case Op::erfc: return erfc(x, bits);
    case Op::tanh: return tanh(x, bits);
    case Op::abs: return abs(x);
    case Op::min: return min(x, y);
    case Op::max: return max(x, y);
    case Op::floor: return floor(x);
    default: throw Error(ErrorCode::internal, "a leaf was applied");
    }
}

} // namespace kvproof
