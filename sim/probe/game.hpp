#pragma once

#include "sim/probe/randomised.hpp"
#include "sim/probe/simplex.hpp"

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace kvproof {

/// The column generation behind randomised_risk, on a family whose queries are distinct. How the class
/// answers a prior is a parameter.
class Game {
public:
    /// Weights of orbits to the least loss; `exact` as in BayesSettings. Its prior gives each pair of an
    /// orbit the same weight.
    using Response = std::function<LeastBayesLoss(const Prior& prior, bool exact)>;

    /// `lower`: what is known to be no more than the value; reaching it ends the game.
    Game(const Family& family, const std::vector<Symmetry>& group, Response respond,
         const GameSettings& settings, Rational lower = 0);

    /// At least one answer; where that was stopped there is no mixture.
    void run();
    [[nodiscard]] bool has_mixture() const { return program_.has_mixture(); }

    [[nodiscard]] const Rational& lower() const { return lower_; }
    [[nodiscard]] const std::vector<Integer>& lower_weights() const { return lower_weights_; }
    [[nodiscard]] Rational upper() const { return program_.value(); }
    [[nodiscard]] std::vector<WeightedColumn> mixture() const;
    [[nodiscard]] Prior prior_of(const std::vector<Integer>& weights) const;
    [[nodiscard]] int rounds() const { return rounds_; }
    [[nodiscard]] bool stopped() const { return stopped_; }

private:
    /// The dual of the program, as weights of single pairs.
    [[nodiscard]] std::vector<Rational> dual() const;
    [[nodiscard]] bool done() const;
    void add_column(const Protocol& protocol, const std::vector<Integer>& weights, int round);
    bool answer(const std::vector<Integer>& weights, bool exact, int round);
    bool solve_program();
    void settle();
    bool try_simple_priors();
    bool closes(const std::vector<Integer>& weights);

    const Family& family_;
    Response respond_;
    const GameSettings& settings_;
    PairOrbits orbits_;
    Rational spread_ = 0; ///< the largest loss of an answer that is a target
    MatrixGame program_;
    std::vector<Column> columns_;
    std::vector<Protocol> protocols_;
    std::vector<Integer> weights_; ///< the last prior: where another has no weight, its means count
    std::set<std::vector<Integer>> tried_;
    Rational lower_;
    std::vector<Integer> lower_weights_;
    int rounds_ = 0;
    bool stopped_ = false;
};

} // namespace kvproof
