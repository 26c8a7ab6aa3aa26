#pragma once
// The standard normal law by FLINT/Arb: closed forms, and rigorous quadrature where the code uses closed
// forms.

#include "tests/exact/oracle.hpp"

#include <acb_calc.h>

namespace kvproof::testing_support {

/// phi(x).
inline void arb_density(arb_ptr out, mpfr_srcptr x, slong bits) {
    test::Ball half_square(x);
    arb_sqr(half_square.get(), half_square.get(), ARF_PREC_EXACT);
    arb_mul_2exp_si(half_square.get(), half_square.get(), -1);
    arb_neg(half_square.get(), half_square.get());
    test::Ball scale;
    arb_const_pi(scale.get(), bits);
    arb_mul_2exp_si(scale.get(), scale.get(), 1);
    arb_rsqrt(scale.get(), scale.get(), bits);
    arb_exp(out, half_square.get(), bits);
    arb_mul(out, out, scale.get(), bits);
}

/// P(Z > x).
inline void arb_tail(arb_ptr out, mpfr_srcptr x, slong bits) {
    test::Ball scaled(x);
    test::Ball root;
    arb_sqrt_ui(root.get(), 2, bits);
    arb_div(scaled.get(), scaled.get(), root.get(), bits);
    arb_hypgeom_erfc(out, scaled.get(), bits);
    arb_mul_2exp_si(out, out, -1);
}

inline Interval density_by_arb(const Interval& x, Bits bits) {
    return test::enclosure_by([&](arb_ptr out, Bits b) { arb_density(out, x.lower(), b); }, bits);
}

inline Interval tail_by_arb(const Interval& x, Bits bits) {
    return test::enclosure_by([&](arb_ptr out, Bits b) { arb_tail(out, x.lower(), b); }, bits);
}

/// (z - q)^power exp(-z^2/2), an entire function.
struct Moment {
    mpfr_srcptr q;
    ulong power;
};

inline int moment_integrand(acb_ptr out, const acb_t z, void* parameters, slong /*order*/, slong bits) {
    const auto& moment = *static_cast<const Moment*>(parameters);
    test::Ball q(moment.q);
    acb_t factor;
    acb_init(factor);
    acb_sub_arb(factor, z, q.get(), bits);
    acb_pow_ui(factor, factor, moment.power, bits);
    acb_mul(out, z, z, bits);
    acb_mul_2exp_si(out, out, -1);
    acb_neg(out, out);
    acb_exp(out, out, bits);
    acb_mul(out, out, factor, bits);
    acb_clear(factor);
    return 0;
}

/// E[(Z - q)^power; a < Z < b] for finite points, by quadrature.
inline Interval moment_by_quadrature(const Interval& a, const Interval& b, const Interval& q, ulong power,
                                     Bits bits) {
    acb_t from;
    acb_t to;
    acb_t integral;
    mag_t tolerance;
    acb_init(from);
    acb_init(to);
    acb_init(integral);
    mag_init(tolerance);
    acb_set_arb(from, test::Ball(a.lower()).get());
    acb_set_arb(to, test::Ball(b.lower()).get());
    mag_set_ui_2exp_si(tolerance, 1, -bits);
    Moment moment{q.lower(), power};
    acb_calc_integrate(integral, moment_integrand, &moment, from, to, bits, tolerance, nullptr, bits + 32);
    test::Ball scale;
    arb_const_pi(scale.get(), bits + 32);
    arb_mul_2exp_si(scale.get(), scale.get(), 1);
    arb_rsqrt(scale.get(), scale.get(), bits + 32);
    test::Ball result;
    arb_mul(result.get(), acb_realref(integral), scale.get(), bits + 32);
    acb_clear(from);
    acb_clear(to);
    acb_clear(integral);
    mag_clear(tolerance);
    return result.enclosure(bits + 32);
}

} // namespace kvproof::testing_support
