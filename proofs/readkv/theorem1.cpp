// ReadKV 4.1 and E.1.1: the steps of Theorem 1 that are more than a formula.

#include "lib/exact/decimal.hpp"
#include "proofs/functions.hpp"

#include <algorithm>

namespace kvproof {
namespace {

using Vector = std::vector<Rational>;
using Matrix = std::vector<Vector>; // rows

/// x'U y for row vectors of U: coordinate k of U x.
Vector transposed_times(const Matrix& u, const Vector& z) {
    Vector x(z.size());
    for (std::size_t i = 0; i < z.size(); ++i)
        for (std::size_t j = 0; j < z.size(); ++j) x[j] += u[i][j] * z[i];
    return x;
}

Rational dot(const Vector& x, const Vector& y) {
    Rational sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

std::vector<Vector> grid_points(std::size_t d, const Vector& levels) {
    std::vector<Vector> points = {{}};
    for (std::size_t i = 0; i < d; ++i) {
        std::vector<Vector> longer;
        for (const Vector& point : points)
            for (const Rational& level : levels) {
                longer.push_back(point);
                longer.back().push_back(level);
            }
        points = std::move(longer);
    }
    return points;
}

/// The sum over the points of one block of |f - mean f|^2.
Rational scatter(const std::vector<Rational>& values) {
    Rational sum;
    Rational squares;
    for (const Rational& value : values) {
        sum += value;
        squares += value * value;
    }
    return values.empty() ? Rational(0) : Rational(squares - sum * sum / values.size());
}

/// Both sides of "Bayes risk = MMSE / d^2" for one observation (a two-block partition of the points).
/// The left side knows only X, Y and the observation, the right side only the source.
bool equality_holds(const std::vector<Vector>& sources, std::uint64_t block, const Matrix& u) {
    const std::size_t d = sources[0].size();
    Rational risk; // times d, since X = U'z / sqrt(d)
    Rational mmse;
    for (const bool member : {false, true}) {
        std::vector<const Vector*> observed;
        for (std::size_t i = 0; i < sources.size(); ++i)
            if (((block >> i) & 1) == (member ? 1U : 0U)) observed.push_back(&sources[i]);
        for (std::size_t k = 0; k < d; ++k) {
            std::vector<Rational> coordinate;
            for (const Vector* z : observed) coordinate.push_back((*z)[k]);
            mmse += scatter(coordinate);
            for (const int sign : {-1, 1}) {
                Vector unit(d);
                unit[k] = sign;
                const Vector query = transposed_times(u, unit);
                std::vector<Rational> products;
                for (const Vector* z : observed) products.push_back(dot(transposed_times(u, *z), query));
                risk += scatter(products) / (2 * d);
            }
        }
    }
    return risk / d == mmse / (d * d); // both divided by the same number of points
}

/// E (Q(x + U) - U - x)^2 for the four-level quantiser with step s and offset U uniform on [-s/2, s/2]: the
/// error is integrated piece by piece between the offsets at which the code changes.
Rational dithered_error(const Rational& x, const Rational& step) {
    const auto level_below = [&](const Rational& y) { // cells [-2s,-s), [-s,0), [0,s), [s,2s]
        Integer cell = floor(y / step);
        cell = std::clamp<Integer>(cell, -2, 1);
        return Rational(cell) * step + step / 2;
    };
    std::vector<Rational> offsets = {-step / 2, step / 2};
    for (int edge = -1; edge <= 1; ++edge) {
        const Rational offset = Rational(edge) * step - x;
        if (offset > -step / 2 && offset < step / 2) offsets.push_back(offset);
    }
    std::ranges::sort(offsets);
    Rational integral;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const Rational level = level_below(x + (offsets[i] + offsets[i + 1]) / 2);
        const auto cube = [&](const Rational& u) { return power(level - u - x, 3); };
        integral += (cube(offsets[i]) - cube(offsets[i + 1])) / 3;
    }
    return integral / step;
}

} // namespace

Decision bayes_risk_is_source_error(const Claim& claim, const Context& context) {
    Decision out = decide(formula_part(claim), {}, context);
    const Rational third(1, 3);
    const Matrix identity2 = {{1, 0}, {0, 1}};
    const Matrix rotation = {{Rational(3, 5), Rational(4, 5)}, {Rational(-4, 5), Rational(3, 5)}};
    const Matrix reflection = {
        {third, 2 * third, 2 * third}, {2 * third, third, -2 * third}, {2 * third, -2 * third, third}};
    struct Setting {
        std::size_t d;
        Vector levels;
        const Matrix& u;
    };
    std::uint64_t cases = 0;
    bool all = true;
    for (const Setting& setting :
         {Setting{2, {-1, 0, 1}, identity2}, Setting{2, {-1, Rational(1, 4), 1}, rotation},
          Setting{3, {-1, 1}, reflection}}) {
        const std::vector<Vector> sources = grid_points(setting.d, setting.levels);
        const std::uint64_t observations = std::uint64_t{1} << (sources.size() - 1); // blocks are unordered
        for (std::uint64_t block = 0; block < observations; ++block, ++cases)
            all = all && equality_holds(sources, block, setting.u);
    }
    out.cases += cases;
    out.witness.push_back({"observations enumerated exactly", {std::to_string(cases)}});
    if (!all) out.verdict = Verdict::refuted;
    out.exact.reset();
    out.enclosure.reset();
    return out;
}

Decision converse_slack(const Claim& claim, const Context& context) {
    Decision out = decide(formula_part(claim), {}, context);
    const Rational step(2, 3);
    const long points = parameter(claim, "points");
    bool all = true;
    for (long i = 0; i <= points; ++i)
        all = all && dithered_error(Rational(2 * i, points) - 1, step) == step * step / 12;
    out.cases += points + 1;
    if (!all) out.verdict = Verdict::refuted;
    constexpr Bits bits = 128;
    const Interval converse = div(Interval(Rational(1, 8), bits), mul(pi(bits), euler_e(bits), bits), bits);
    const Interval ratio = div(Interval(Rational(1, 27), bits), converse, bits);
    out.enclosure = ratio;
    out.exact.reset();
    out.slack = ratio;
    out.witness = {{"minimax risk times d, at least", {lower_decimal(converse, 12)}},
                   {"minimax risk times d, at most", {"1/27"}},
                   {"upper over lower", {shared_decimal(ratio, 12)}},
                   {"deterministic four-level scheme, risk times d for k-sparse queries", {"k/16"}},
                   {"points where the dithered error is exactly 1/27", {std::to_string(points + 1)}}};
    return out;
}

} // namespace kvproof
