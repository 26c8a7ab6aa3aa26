// The steps of Theorem 1 that the registry proves by an identity and a note, confirmed here by enumeration:
// exact rational arithmetic from the definitions, without the identity.

#include "lib/exact/rational.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kvproof {
namespace {

using Vector = std::vector<Rational>;
using Matrix = std::vector<Vector>;

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

/// Sum of squared distances to the mean.
Rational scatter(const Vector& values) {
    Rational sum;
    Rational squares;
    for (const Rational& value : values) {
        sum += value;
        squares += value * value;
    }
    return values.empty() ? Rational(0) : Rational(squares - sum * sum / values.size());
}

struct Sides {
    Rational bayes_risk;    // of X'Y, Y a random signed coordinate query
    Rational scaled_source; // MMSE / d^2
};

/// One observation: the sources whose bit is set in `block`, or not. All sums are over the sources,
/// undivided.
Sides both_sides(const std::vector<Vector>& sources, std::uint64_t block, const Matrix& u) {
    const std::size_t d = sources[0].size();
    Sides out;
    for (const std::uint64_t member : {0U, 1U}) {
        std::vector<const Vector*> observed;
        for (std::size_t i = 0; i < sources.size(); ++i)
            if (((block >> i) & 1) == member) observed.push_back(&sources[i]);
        for (std::size_t k = 0; k < d; ++k) {
            Vector coordinate;
            for (const Vector* z : observed) coordinate.push_back((*z)[k]);
            out.scaled_source += scatter(coordinate) / (d * d);
            for (const int sign : {-1, 1}) {
                Vector unit(d);
                unit[k] = sign;
                const Vector query = transposed_times(u, unit);
                Vector products; // times sqrt(d), since X = U'z / sqrt(d)
                for (const Vector* z : observed) products.push_back(dot(transposed_times(u, *z), query));
                out.bayes_risk += scatter(products) / d / (2 * d);
            }
        }
    }
    return out;
}

const Matrix rotation = {{Rational(3, 5), Rational(4, 5)}, {Rational(-4, 5), Rational(3, 5)}};

TEST(Theorem1, BayesRiskIsTheSourceErrorOverTheSquareOfTheDimension) {
    const Rational t(1, 3);
    const Matrix reflection = {{t, 2 * t, 2 * t}, {2 * t, t, -2 * t}, {2 * t, -2 * t, t}};
    struct Setting {
        std::size_t d;
        Vector levels;
        Matrix u;
    };
    for (const Setting& setting :
         {Setting{2, {-1, Rational(1, 4), 1}, rotation}, Setting{3, {-1, 1}, reflection}}) {
        const auto sources = grid_points(setting.d, setting.levels);
        for (std::uint64_t block = 0; block < std::uint64_t{1} << (sources.size() - 1); ++block) {
            const Sides sides = both_sides(sources, block, setting.u);
            ASSERT_EQ(sides.bayes_risk, sides.scaled_source) << "block " << block;
        }
    }
}

TEST(Theorem1, BayesRiskTestSeesAMatrixThatIsNotOrthogonal) {
    Matrix skew = rotation;
    skew[0][0] += Rational(1, 100);
    const Sides sides = both_sides(grid_points(2, {-1, 1}), 0b0011, skew);
    EXPECT_NE(sides.bayes_risk, sides.scaled_source);
}

/// E (Q(x + U) - U - x)^2 for four levels at distance `step` and U uniform on [-width/2, width/2], integrated
/// piece by piece between the offsets at which the code changes.
Rational dithered_error(const Rational& x, const Rational& step, const Rational& width) {
    std::vector<Rational> offsets = {-width / 2, width / 2};
    for (int edge = -1; edge <= 1; ++edge) {
        const Rational offset = edge * step - x;
        if (abs(offset) < width / 2) offsets.push_back(offset);
    }
    std::ranges::sort(offsets);
    Rational integral;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const Integer cell = floor((x + (offsets[i] + offsets[i + 1]) / 2) / step);
        const Rational level = Rational(std::clamp<Integer>(cell, -2, 1)) * step + step / 2;
        integral += (power(level - offsets[i] - x, 3) - power(level - offsets[i + 1] - x, 3)) / 3;
    }
    return integral / width;
}

TEST(Theorem1, DitheredQuantiserErrsByOneTwentySeventhWhereverTheSourceIs) {
    for (int i = 0; i <= 240; ++i)
        ASSERT_EQ(dithered_error(Rational(i, 120) - 1, Rational(2, 3), Rational(2, 3)), Rational(1, 27)) << i;
}

TEST(Theorem1, DitheredQuantiserTestSeesAnOffsetOfTheWrongWidth) {
    EXPECT_NE(dithered_error(Rational(1, 7), Rational(2, 3), Rational(1, 2)), Rational(1, 27));
    EXPECT_NE(dithered_error(Rational(1), Rational(1, 2), Rational(1, 2)),
              Rational(1, 48)); // four levels do not reach
}

} // namespace
} // namespace kvproof
