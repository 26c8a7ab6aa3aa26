#include "sim/probe/simplex.hpp"

#include "lib/error.hpp"
#include "simplex_cddlib.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kvproof {
namespace {

using Matrix = std::vector<std::vector<Rational>>; ///< columns of losses

MatrixGame solved(const Matrix& columns) {
    MatrixGame game(columns.front().size());
    for (const auto& column : columns) game.add_column(column);
    game.solve();
    return game;
}

/// The largest loss of a mixture and the least of a prior: the value lies between them.
Rational worst_row(const Matrix& columns, const std::vector<Rational>& mixture) {
    Rational worst = -1;
    for (std::size_t i = 0; i < columns.front().size(); ++i) {
        Rational loss = 0;
        for (std::size_t j = 0; j < columns.size(); ++j) loss += columns[j][i] * mixture[j];
        worst = std::max(worst, loss);
    }
    return worst;
}
Rational best_column(const Matrix& columns, const std::vector<Rational>& prior) {
    Rational best = -1;
    for (const auto& column : columns) {
        Rational loss = 0;
        for (std::size_t i = 0; i < column.size(); ++i) loss += column[i] * prior[i];
        best = best < 0 ? loss : std::min(best, loss);
    }
    return best;
}

bool is_distribution(const std::vector<Rational>& weights) {
    Rational sum = 0;
    for (const Rational& weight : weights) {
        if (weight < 0) return false;
        sum += weight;
    }
    return sum == 1;
}

rc::Gen<Matrix> matrices() {
    return rc::gen::exec([] {
        const auto rows = *rc::gen::inRange<std::size_t>(1, 6);
        const auto columns = *rc::gen::inRange<std::size_t>(1, 8);
        Matrix out(columns);
        for (auto& column : out)
            for (std::size_t i = 0; i < rows; ++i)
                column.emplace_back(*rc::gen::inRange(0, 5), *rc::gen::inRange(1, 4));
        return out;
    });
}

} // namespace

TEST(Simplex, MatchingPenniesAndADominatedRow) {
    const MatrixGame pennies = solved({{1, 0}, {0, 1}});
    EXPECT_EQ(pennies.value(), Rational(1, 2));
    EXPECT_EQ(pennies.mixture(), (std::vector<Rational>{Rational(1, 2), Rational(1, 2)}));
    EXPECT_EQ(solved({{1, 0}, {3, 2}}).value(), 1);
    EXPECT_EQ(solved({{0, 0, 0}}).value(), 0);
    // 1 and 2 against 3 and 1: the equaliser is (2/3, 1/3) and loses 5/3
    EXPECT_EQ(solved({{1, 2}, {3, 1}}).value(), Rational(5, 3));
}

TEST(Simplex, RefusesWhatIsNoGame) {
    MatrixGame game(2);
    EXPECT_THROW(game.solve(), Error);
    EXPECT_THROW(game.add_column(std::vector<Rational>{1}), Error);
    EXPECT_THROW(game.add_column(std::vector<Rational>{1, -1}), Error);
}

RC_GTEST_PROP(Simplex, ItsTwoSidesMeet, ()) {
    const Matrix columns = *matrices();
    const MatrixGame game = solved(columns);
    RC_ASSERT(is_distribution(game.mixture()));
    RC_ASSERT(is_distribution(game.prior()));
    RC_ASSERT(worst_row(columns, game.mixture()) == game.value());
    RC_ASSERT(best_column(columns, game.prior()) == game.value());
    RC_ASSERT(std::ranges::count_if(game.mixture(), [](const Rational& weight) { return weight > 0; }) <=
              static_cast<std::ptrdiff_t>(columns.front().size()));
}

RC_GTEST_PROP(Simplex, AgreesWithCddlib, ()) {
    const Matrix columns = *matrices();
    RC_ASSERT(solved(columns).value() == value_by_cddlib(columns));
}

// A mixture at every step on the way, and the whole way when it goes on.
RC_GTEST_PROP(Simplex, StoppedItHasAMixture, ()) {
    const Matrix columns = *matrices();
    MatrixGame game(columns.front().size());
    for (const auto& column : columns) game.add_column(column);
    int left = *rc::gen::inRange(0, 4);
    const bool whole = game.solve([&left] { return left-- <= 0; });
    if (game.has_mixture()) {
        RC_ASSERT(is_distribution(game.mixture()));
        RC_ASSERT(worst_row(columns, game.mixture()) >= solved(columns).value());
    }
    RC_ASSERT((!whole || game.value() == solved(columns).value()));
    RC_ASSERT(game.solve());
    RC_ASSERT(game.value() == solved(columns).value());
}

TEST(Simplex, StoppedAtOnceItHasNone) {
    MatrixGame game(1);
    game.add_column(std::vector<Rational>{2});
    EXPECT_FALSE(game.solve([] { return true; }));
    EXPECT_FALSE(game.has_mixture());
    EXPECT_TRUE(game.solve());
    EXPECT_TRUE(game.has_mixture());
}

// Going on after a new column is as good as a fresh start.
RC_GTEST_PROP(Simplex, ColumnsMayComeLater, ()) {
    const Matrix columns = *matrices();
    MatrixGame game(columns.front().size());
    for (const auto& column : columns) {
        game.add_column(column);
        game.solve();
    }
    RC_ASSERT(game.value() == solved(columns).value());
    RC_ASSERT(worst_row(columns, game.mixture()) == game.value());
}

} // namespace kvproof
