#include "lib/codec/pointwise_error.hpp"

#include "lib/error.hpp"

namespace kvproof {
namespace {

// What the two kinds of number have in common here, under one name.

Truth below(const Rational& x, const Rational& y) {
    return x < y ? Truth::yes : Truth::no;
}

Truth below(const Interval& x, const Interval& y) {
    return less(x, y);
}

Rational distance(const Rational& x, const Rational& y) {
    return abs(x - y);
}

Interval distance(const Interval& x, const Interval& y) {
    return abs(sub(x, y, std::max(mpfr_get_prec(x.lower()), mpfr_get_prec(y.lower()))));
}

template <class Number>
Number number_from(long value);

template <>
Rational number_from<Rational>(long value) {
    return Rational(value);
}

template <>
Interval number_from<Interval>(long value) {
    return Interval(Rational(value), 8);
}

bool certainly(Truth truth) {
    if (truth == Truth::unknown)
        throw Error(ErrorCode::precision_exhausted,
                    "a boundary of the tree cannot be told from a given point");
    return truth == Truth::yes;
}

/// For enclosures the larger of two candidates is their elementwise maximum, named after the one that leads.
Rational larger(const Rational& x, const Rational& y) {
    return std::max(x, y);
}

Interval larger(const Interval& x, const Interval& y) {
    return max(x, y);
}

bool leads(const Rational& x, const Rational& y) {
    return x > y;
}

bool leads(const Interval& x, const Interval& y) {
    return mpfr_greater_p(x.lower(), y.lower()) != 0;
}

template <class Number>
PointwiseError<Number> error_of(const Codebook<Number>& codebook, int t) {
    const auto& boundaries = codebook.boundaries[t];
    const auto& centroids = codebook.centroids[t];
    const Number one = number_from<Number>(1);
    const Number minus_one = number_from<Number>(-1);
    std::optional<PointwiseError<Number>> worst;
    const auto consider = [&](const Number& end, std::size_t cell, bool attained) {
        const Number error = distance(end, centroids[cell]);
        const bool names = !worst || leads(error, worst->value) || (!leads(worst->value, error) && attained);
        const Number value = worst ? larger(worst->value, error) : error;
        if (names)
            worst = PointwiseError<Number>{value, end, cell, attained};
        else
            worst->value = value;
    };
    for (std::size_t i = 0; i < centroids.size(); ++i) {
        const bool first = i == 0;
        const bool last = i == boundaries.size();
        if (!first && !certainly(below(boundaries[i - 1], one)))
            continue; // above 1 (or at it: the single point 1)
        if (!last && !certainly(below(minus_one, boundaries[i]))) continue;
        const bool cut_below = first || certainly(below(boundaries[i - 1], minus_one));
        const bool cut_above = last || certainly(below(one, boundaries[i]));
        consider(cut_below ? minus_one : boundaries[i - 1], i, true);
        consider(cut_above ? one : boundaries[i], i, cut_above);
    }
    // A boundary exactly at 1 puts the point 1 into the cell above.
    const std::size_t at_one = cell_of(codebook, t, Rational(1));
    consider(one, at_one, true);
    return *worst;
}

template <class Number>
std::size_t cell_holding(const Codebook<Number>& codebook, int t, const Number& u) {
    std::size_t cell = 0;
    for (int level = 0; level < t; ++level) {
        const bool upper = !certainly(below(u, codebook.boundaries[level + 1][2 * cell]));
        cell = 2 * cell + (upper ? 1 : 0);
    }
    return cell;
}

} // namespace

PointwiseError<Rational> pointwise_error(const Codebook<Rational>& codebook, int t) {
    return error_of(codebook, t);
}

PointwiseError<Interval> pointwise_error(const Codebook<Interval>& codebook, int t) {
    return error_of(codebook, t);
}

std::size_t cell_of(const Codebook<Rational>& codebook, int t, const Rational& u) {
    return cell_holding(codebook, t, u);
}

std::size_t cell_of(const Codebook<Interval>& codebook, int t, const Rational& u) {
    return cell_holding(codebook, t, Interval(u, 256));
}

} // namespace kvproof
