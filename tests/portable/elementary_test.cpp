// exp and log against MPFR, on a million seeded points and on hard ones.
#include "lib/portable/exp.hpp"
#include "lib/portable/exp_many.hpp"
#include "lib/portable/log.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace kvproof;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Reference {
public:
    Reference() {
        mpfr_init2(value_, 100);
        mpfr_init2(error_, 100);
    }
    Reference(const Reference&) = delete;
    Reference& operator=(const Reference&) = delete;
    ~Reference() {
        mpfr_clear(value_);
        mpfr_clear(error_);
    }

    /// |computed - f(x)| less half a subnormal where asked, over |f(x)|. Rounding at 100 bits is far below
    /// what is compared.
    double error(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), double x, double computed, bool subnormal) {
        mpfr_set_d(value_, x, MPFR_RNDN);
        f(value_, value_, MPFR_RNDN);
        if (mpfr_zero_p(value_) != 0) return computed == 0 ? 0 : infinity;
        mpfr_set_d(error_, computed, MPFR_RNDN);
        mpfr_sub(error_, error_, value_, MPFR_RNDN);
        mpfr_abs(error_, error_, MPFR_RNDN);
        if (subnormal) {
            mpfr_t slack;
            mpfr_init2(slack, 53);
            mpfr_set_ui_2exp(slack, 1, -1075, MPFR_RNDN); // below what a double holds
            mpfr_sub(error_, error_, slack, MPFR_RNDN);
            mpfr_clear(slack);
        }
        mpfr_div(error_, error_, value_, MPFR_RNDN);
        return mpfr_get_d(error_, MPFR_RNDU) * (mpfr_sgn(value_) < 0 ? -1 : 1);
    }

private:
    mpfr_t value_;
    mpfr_t error_;
};

/// Ends and neighbourhoods of every reduction interval, zeros, tiny arguments, the ends of the range.
std::vector<double> exp_points(std::size_t random) {
    std::vector<double> points = {0.0,
                                  -0.0,
                                  0x1p-1074,
                                  -0x1p-1074,
                                  0x1p-60,
                                  -0x1p-54,
                                  0x1p-53,
                                  709.782712893384,
                                  709.78271289338397,
                                  -708.3964185322641,
                                  -745.1332191019411,
                                  -745.13321910194122};
    for (int k = -2150; k <= 2047;
         ++k) { // multiples of ln(2) / 2: odd ones are where the nearest integer changes
        const double middle = k * 0.34657359027997264;
        points.insert(points.end(),
                      {std::nextafter(middle, -infinity), middle, std::nextafter(middle, infinity)});
    }
    std::mt19937_64 generator(20260101);
    for (std::size_t i = 0; i < random; ++i) {
        const double u = static_cast<double>(generator() >> 11U) * 0x1p-53;
        points.push_back(i % 4 == 0   ? -745.2 + 1454.9 * u
                         : i % 4 == 1 ? -60 * u
                         : i % 4 == 2 ? 2 * u - 1
                                      : std::ldexp(2 * u - 1, -static_cast<int>(i / 4 % 60)));
    }
    return points;
}

double worst_exp(const std::function<double(double)>& f, const std::vector<double>& points) {
    Reference reference;
    double worst = 0;
    for (const double x : points) {
        const double y = f(x);
        if (x < 709.0 || y < infinity)
            worst = std::max(worst, reference.error(mpfr_exp, x, y, y < 0x1p-1021));
    }
    return worst;
}

double worst_log(const std::function<double(double)>& f, const std::vector<double>& points) {
    Reference reference;
    double worst = 0;
    for (const double x : points) worst = std::max(worst, reference.error(mpfr_log, x, f(x), false));
    return worst;
}

std::vector<double> log_points(std::size_t random) {
    std::vector<double> points = {1.0, 0x1p-1074, 0x1p-1022, std::numeric_limits<double>::max(), 2.0, 0.5};
    for (int k = -1073; k < 1023; ++k)
        for (const double m : {1.0, 1.4142135623730951, 1.4142135623730949})
            for (const double step : {-infinity, infinity})
                points.push_back(std::nextafter(std::ldexp(m, k), step));
    std::mt19937_64 generator(20260101);
    for (std::size_t i = 0; i < random; ++i) {
        const double u = static_cast<double>(generator() >> 11U) * 0x1p-53;
        points.push_back(i % 3 == 0   ? std::ldexp(1 + u, static_cast<int>(generator() % 2000) - 1000)
                         : i % 3 == 1 ? 1 + std::ldexp(u - 0.5, -static_cast<int>(i / 3 % 50))
                                      : 1 + 5000 * u);
    }
    return points;
}

} // namespace

TEST(Elementary, exp_is_within_its_stated_bound) {
    const double worst = worst_exp(portable::exp, exp_points(1000000));
    RecordProperty("worst_in_u", std::to_string(worst * 0x1p53));
    std::printf("exp: worst relative error %.4f u, stated %.1f u\n", worst * 0x1p53,
                portable::exp_error * 0x1p53);
    EXPECT_LE(worst, portable::exp_error);
    EXPECT_GE(worst, 0.5 * 0x1p-53); // nothing rounds better than that: the measurement measures
}

TEST(Elementary, log_is_within_its_stated_bound) {
    const double worst = worst_log(portable::log, log_points(1000000));
    std::printf("log: worst relative error %.4f u, stated %.1f u\n", worst * 0x1p53,
                portable::log_error * 0x1p53);
    EXPECT_LE(worst, portable::log_error);
    EXPECT_GE(worst, 0.5 * 0x1p-53);
}

TEST(Elementary, ends_of_the_range) {
    EXPECT_EQ(portable::exp(0.0), 1);
    EXPECT_EQ(portable::exp(-infinity), 0);
    EXPECT_EQ(portable::exp(infinity), infinity);
    EXPECT_EQ(portable::exp(-746), 0);
    EXPECT_EQ(portable::exp(-1e300), 0);
    EXPECT_EQ(portable::exp(-745.1332191019411), 0x1p-1074);
    EXPECT_EQ(portable::exp(709.79), infinity);
    EXPECT_LT(portable::exp(709.782712893384), infinity);
    EXPECT_TRUE(std::isnan(portable::exp(std::nan(""))));
    EXPECT_EQ(portable::log(1.0), 0);
}

TEST(Elementary, wrong_functions_are_told_from_right_ones) {
    const std::vector<double> points = exp_points(10000);
    // one part of ln 2 instead of two
    EXPECT_GT(worst_exp(
                  [](double x) {
                      const double k = std::nearbyint(x * 1.4426950408889634);
                      return std::ldexp(portable::exp(x - k * 0.6931471805599453), static_cast<int>(k));
                  },
                  points),
              portable::exp_error);
    // a result off by two units in the last place
    EXPECT_GT(worst_exp([](double x) { return portable::exp(x) * (1 + 0x1p-51); }, points),
              portable::exp_error);
    EXPECT_GT(worst_log([](double x) { return portable::log(x) + 0x1p-53; }, log_points(10000)),
              portable::log_error);
}

TEST(Elementary, arrays_have_the_bits_of_single_values_whatever_the_instructions) {
    std::vector<double> points = exp_points(20001);
    points.insert(points.end(), {infinity, -infinity, std::nan(""), 1e308, -1e308});
    for (const Instructions instructions : available_instructions()) {
        std::vector<double> values(points.size());
        exp_many(points, values, instructions);
        std::size_t different = 0;
        for (std::size_t i = 0; i < points.size(); ++i)
            different += std::isnan(points[i])
                             ? !std::isnan(values[i])
                             : portable::bits_of(values[i]) != portable::bits_of(portable::exp(points[i]));
        EXPECT_EQ(different, 0U) << static_cast<int>(instructions);
    }
}
