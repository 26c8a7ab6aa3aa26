#include "fixed.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace {

using namespace kvcheck;

mpq_class decimal(const std::string& text) {
    const std::size_t dot = text.find('.');
    mpz_class unit;
    mpz_ui_pow_ui(unit.get_mpz_t(), 10, text.size() - dot - 1);
    mpq_class value(mpz_class(text.substr(0, dot) + text.substr(dot + 1), 10), unit);
    value.canonicalize();
    return value;
}

Interval at(const Fixed& f, const mpq_class& x) {
    return f.range(x, x);
}

struct Known {
    const char* name;
    std::function<Interval(Fixed&)> value;
    const char* digits; ///< by mpmath: right but for half a unit of the last one
    long ulps = 2;      ///< allowed width
};

const Known known[] = {
    {"pi", [](Fixed& f) { return f.pi(); },
     "3.141592653589793238462643383279502884197169399375105820974944592307816"},
    {"e", [](Fixed& f) { return f.e(); },
     "2.718281828459045235360287471352662497757247093699959574966967627724077"},
    {"log 1/3",
     [](Fixed& f) {
         return f.log(at(f, {1, 3}));
     },
     "-1.098612288668109691395245236922525704647490557822749451734694333637494", 5},
    {"log 10^10", [](Fixed& f) { return f.log(at(f, 10000000000)); },
     "23.02585092994045684017991454684364207601101488628772976033327900967573"},
    {"exp -7/2",
     [](Fixed& f) {
         return f.exp(at(f, {-7, 2}));
     },
     "0.03019738342231850073978629236361984507166053224765700667134022308504473"},
    {"exp 20", [](Fixed& f) { return f.exp(at(f, 20)); },
     "485165195.409790277969106830541540558684638988944847254353610800315978"},
    {"exp 1/3",
     [](Fixed& f) {
         return f.exp(at(f, {1, 3}));
     },
     "1.395612425086089528628125319602586837597906515199406982617516706031739", 4},
    {"erf 1/2",
     [](Fixed& f) {
         return f.erf(at(f, {1, 2}));
     },
     "0.5204998778130465376827466538919645287364515757579637000588057256471935"},
    {"erf 5", [](Fixed& f) { return f.erf(at(f, 5)); },
     "0.9999999999984625402055719651498116565146166211098819496852766200693121"},
    {"tanh -5", [](Fixed& f) { return f.tanh(at(f, -5)); },
     "-0.999909204262595131210990447534473021089812615990547862736428872262561"},
    {"tanh 1/4",
     [](Fixed& f) {
         return f.tanh(at(f, {1, 4}));
     },
     "0.24491866240370912927780113149101695750655873061782032611887432531709", 4},
    {"sqrt 2", [](Fixed& f) { return f.sqrt(at(f, 2)); },
     "1.414213562373095048801688724209698078569671875376948073176679737990732"},
    {"2^(1/3)",
     [](Fixed& f) {
         return f.real_power(at(f, 2), at(f, {1, 3}));
     },
     "1.2599210498948731647672106072782283505702514647015079800819751121553", 6},
    {"phi 5/4",
     [](Fixed& f) {
         return f.gauss(at(f, {5, 4})).density;
     },
     "0.1826490853890219049910445573744453554316804109945527192687105772190903"},
    {"Phi 5/4",
     [](Fixed& f) {
         return f.gauss(at(f, {5, 4})).distribution;
     },
     "0.8943502263331447423112272359742534451523902721476668280184725930756178"},
    {"Phi -6", [](Fixed& f) { return f.gauss(at(f, -6)).distribution; },
     "0.0000000009865876450376981407008641323980420186697912499790287224770152161754657"},
};

TEST(Fixed, EnclosesKnownValuesTightly) {
    for (const Known& k : known) {
        Fixed f(192);
        const Interval x = k.value(f);
        const mpq_class value = decimal(k.digits);
        const mpq_class slack(1, mpz_class("10") << 196); // less than an ulp, more than the digits' error
        const mpq_class unit(1, mpz_class(1) << 192);
        EXPECT_LE(x.lo * unit, value + slack) << k.name;
        EXPECT_GE(x.hi * unit, value - slack) << k.name;
        EXPECT_LE(x.hi - x.lo, k.ulps) << k.name;
        EXPECT_GT(x.hi, x.lo) << k.name << " is irrational";
    }
}

/// Enclosures of a coarser scale hold those of a finer one, computed with other reductions and numbers of
/// terms.
TEST(Fixed, NestsFromScaleToScale) {
    const std::pair<const char*, std::function<Interval(Fixed&, const Interval&)>> functions[] = {
        {"exp", [](Fixed& f, const Interval& x) { return f.exp(x); }},
        {"log", [](Fixed& f, const Interval& x) { return f.log(Fixed::abs(x)); }},
        {"erf", [](Fixed& f, const Interval& x) { return f.erf(x); }},
        {"tanh", [](Fixed& f, const Interval& x) { return f.tanh(x); }},
        {"Phi", [](Fixed& f, const Interval& x) { return f.gauss(x).distribution; }},
        {"phi", [](Fixed& f, const Interval& x) { return f.gauss(x).density; }},
        {"sqrt", [](Fixed& f, const Interval& x) { return f.sqrt(Fixed::abs(x)); }},
    };
    gmp_randclass random(gmp_randinit_default);
    random.seed(20260101);
    for (const unsigned bits : {64U, 128U, 192U, 321U, 1000U}) {
        Fixed coarse(bits);
        Fixed fine(2 * bits + 77);
        for (int i = 0; i < 40; ++i) {
            // Dyadic at both scales, from 2^-40 to 2^6.
            const mpz_class n = random.get_z_bits(60) * (i % 2 == 0 ? 1 : -1) + 1;
            const mpq_class x(n, mpz_class(1) << (54 + i % 8 * 6));
            for (const auto& [name, function] : functions) {
                const Interval a = function(coarse, coarse.range(x, x));
                const Interval b = function(fine, fine.range(x, x));
                const Interval same = fine.rescaled(a, bits);
                EXPECT_LE(same.lo, b.hi) << name << " " << x << " at " << bits;
                EXPECT_GE(same.hi, b.lo) << name << " " << x << " at " << bits;
                const bool exact =
                    (x.get_den() >> bits) == 0; // x needs no rounding: the result is rounded only
                EXPECT_LE(exact ? mpz_class(a.hi - a.lo) : mpz_class(0), 2)
                    << name << " " << x << " at " << bits;
            }
        }
    }
}

TEST(Fixed, InvertsAndDuplicates) {
    Fixed f(128);
    for (int n = 1; n < 60; ++n) {
        const mpq_class x(n * n, 37);
        const Interval y = f.exp(f.log(f.range(x, x)));
        EXPECT_LE(y.lo, f.range(x, x).lo) << x;
        EXPECT_GE(y.hi, f.range(x, x).hi) << x;
        const Interval e = f.exp(f.range(mpq_class(n, 8), mpq_class(n, 8)));
        const Interval t = f.tanh(f.range(mpq_class(n, 16), mpq_class(n, 16)));
        const Interval same = f.div(Fixed::sub(e, f.integer(1)), Fixed::add(e, f.integer(1)));
        EXPECT_LE(t.lo, same.hi) << n;
        EXPECT_GE(t.hi, same.lo) << n;
    }
}

TEST(Fixed, RoundsArithmeticOutwards) {
    Fixed f(64);
    const Interval third = f.range({1, 3}, {1, 3});
    EXPECT_EQ(third.hi - third.lo, 1);
    const Interval one = f.mul(third, f.integer(3));
    EXPECT_LT(one.lo, f.integer(1).lo);
    EXPECT_GT(one.hi, f.integer(1).hi);
    const Interval mixed = f.range(-2, 3);
    EXPECT_EQ(f.power(mixed, 2).lo, 0);
    EXPECT_EQ(f.power(mixed, 2).hi, f.integer(9).hi);
    EXPECT_EQ(f.power(mixed, 3).lo, f.integer(-8).lo);
    EXPECT_EQ(f.power(f.range(-3, -2), 2).lo, f.integer(4).lo);
    EXPECT_EQ(f.power(f.range(-3, -2), 3).hi, f.integer(-8).hi);
    EXPECT_EQ(f.power(mixed, 0).lo, f.integer(1).lo);
    EXPECT_LE(f.power(f.integer(-2), -3).lo, f.range({-1, 8}, {-1, 8}).lo);
    EXPECT_EQ(f.mul(mixed, mixed).lo, f.integer(-6).lo);
    EXPECT_EQ(f.div(mixed, f.range(-2, -1)).lo, f.integer(-3).lo);
    EXPECT_EQ(f.floor(f.range({-1, 2}, {5, 2})).lo, f.integer(-1).lo);
    EXPECT_EQ(f.floor(f.range({-1, 2}, {5, 2})).hi, f.integer(2).hi);
}

TEST(Fixed, RefusesWhatIsUndefined) {
    Fixed f(64);
    EXPECT_THROW((void)f.div(f.integer(1), f.range(-1, 1)), Undefined);
    EXPECT_THROW((void)f.div(f.integer(1), f.range(0, 1)), Undefined);
    EXPECT_THROW((void)f.power(f.range(0, 1), -1), Undefined);
    EXPECT_THROW((void)f.log(f.range(0, 1)), Undefined);
    EXPECT_THROW((void)f.sqrt(f.range({-1, 1000}, 1)), Undefined);
    EXPECT_THROW((void)f.real_power(f.range(0, 1), f.integer(2)), Undefined);
    EXPECT_THROW((void)f.exp(f.range(0, 65537)), Undefined);
}

/// Arguments that no series could sum end at once, and still enclose.
TEST(Fixed, SaturatesFarOut) {
    Fixed f(64);
    const mpq_class far(mpz_class(1) << 5000);
    const mpq_class below = -far;
    EXPECT_EQ(f.exp(at(f, below)).lo, 0);
    EXPECT_EQ(f.erf(at(f, far)).hi, f.integer(1).hi);
    EXPECT_EQ(f.erf(at(f, below)).lo, f.integer(-1).lo);
    EXPECT_EQ(f.tanh(at(f, below)).lo, f.integer(-1).lo);
    EXPECT_EQ(f.gauss(at(f, below)).distribution.lo, 0);
    EXPECT_EQ(f.gauss(at(f, far)).distribution.hi, f.integer(1).hi);
    EXPECT_EQ(f.gauss(at(f, far)).density.lo, 0);
}

} // namespace
