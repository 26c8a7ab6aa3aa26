#include "sim/probe/game.hpp"

#include "sim/probe/rounding.hpp"

#include <algorithm>

namespace kvproof {

Game::Game(const Family& family, const std::vector<Symmetry>& group, Response respond,
           const GameSettings& settings, Rational lower)
    : family_(family), respond_(std::move(respond)), settings_(settings), orbits_(pair_orbits(family, group)),
      program_(orbits_.sizes.size()), weights_(orbits_.sizes.size(), 1), lower_(std::move(lower)),
      lower_weights_(weights_) {
    for (int y = 0; y < family.queries; ++y)
        spread_ = std::max(spread_, std::ranges::max(distances(family, y)));
    spread_ /= Rational(family.scale * family.dim);
}

Prior Game::prior_of(const std::vector<Integer>& weights) const {
    Prior out;
    for (const int orbit : orbits_.of) out.weights.push_back(weights[static_cast<std::size_t>(orbit)]);
    return out;
}

std::vector<Rational> Game::dual() const {
    std::vector<Rational> out = program_.prior();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] /= orbits_.sizes[i];
    return out;
}

bool Game::done() const {
    return stopped_ ||
           program_.value() - lower_ <=
               program_.value() / Rational(Integer(1) << static_cast<unsigned>(settings_.gap_bits));
}

void Game::add_column(const Protocol& protocol, const std::vector<Integer>& weights, int round) {
    Column column = with_means(protocol, family_, prior_of(weights), prior_of(weights_), round);
    const std::vector<Rational> of_pair = losses(column, family_);
    std::vector<Rational> of_orbit(orbits_.sizes.size());
    for (std::size_t pair = 0; pair < of_pair.size(); ++pair)
        of_orbit[static_cast<std::size_t>(orbits_.of[pair])] += of_pair[pair];
    for (std::size_t i = 0; i < of_orbit.size(); ++i) of_orbit[i] /= orbits_.sizes[i];
    program_.add_column(of_orbit);
    columns_.push_back(std::move(column));
}

/// False where it was stopped.
bool Game::solve_program() {
    stopped_ = stopped_ || !program_.solve(settings_.stop);
    return !stopped_;
}

/// Asks the class. False where it was stopped.
bool Game::answer(const std::vector<Integer>& weights, bool exact, int round) {
    const LeastBayesLoss found = respond_(prior_of(weights), exact);
    ++rounds_;
    if (found.protocols.empty()) {
        stopped_ = true;
        return false;
    }
    if (found.at_least > lower_) {
        lower_ = found.at_least;
        lower_weights_ = weights;
    }
    for (const Protocol& protocol : found.protocols) {
        if (std::ranges::find(protocols_, protocol) == protocols_.end()) protocols_.push_back(protocol);
        add_column(protocol, weights, round);
    }
    return solve_program();
}

/// Lets the protocols known so far answer, until their best answer to the dual is close to the program's
/// value: they are quickly tried.
void Game::settle() {
    for (int step = 0; step < 50; ++step) {
        const Rational gap = program_.value() - lower_;
        int bits = 6;
        while (bits < 80 && spread_ > gap * Rational(Integer(1) << static_cast<unsigned>(bits - 6))) ++bits;
        weights_ = fine_proportion(dual(), bits);
        const Prior prior = prior_of(weights_);
        const Protocol* best = nullptr;
        Rational least = 0;
        for (const Protocol& protocol : protocols_) {
            const Rational loss = bayes_loss(protocol, family_, prior);
            if (best == nullptr || loss < least) {
                best = &protocol;
                least = loss;
            }
        }
        if (program_.value() - least <= gap / 4) return;
        add_column(*best, weights_, bits);
        if (!solve_program()) return;
    }
}

/// Whether these weights are a best prior. They are no better than `lower_` unless all known protocols lose
/// more.
bool Game::closes(const std::vector<Integer>& weights) {
    if (!tried_.insert(weights).second) return false;
    const Prior prior = prior_of(weights);
    std::vector<std::pair<Rational, const Protocol*>> answers;
    for (const Protocol& protocol : protocols_)
        answers.emplace_back(bayes_loss(protocol, family_, prior), &protocol);
    const Rational least = std::ranges::min_element(answers)->first;
    if (least < lower_) return false;
    for (const auto& [loss, protocol] : answers)
        if (loss == least) add_column(*protocol, weights, 0);
    if (!solve_program()) return false;
    // the class is asked where only a protocol that is not yet known can stand in the way
    if (program_.value() != least || !answer(weights, true, 0)) return false;
    return program_.value() == lower_;
}

bool Game::try_simple_priors() {
    const std::vector<Rational> near = dual();
    const Rational gap = program_.value() - lower_;
    for (int bits = 2; bits <= 30; bits += 2) {
        const Rational tolerance(1, Integer(1) << static_cast<unsigned>(bits));
        if (closes(simple_proportion(near, tolerance)) || stopped_) return true;
        // no closer than the dual is known
        if (tolerance * tolerance * program_.value() * 16 < gap) return false;
    }
    return false;
}

void Game::run() {
    if (!answer(weights_, true, 0) || program_.value() == lower_) return;
    while (!done() && rounds_ < settings_.most_rounds) {
        settle();
        if (stopped_) return;
        if (try_simple_priors()) return;
        if (rounds_ < settings_.most_rounds) answer(weights_, false, 40);
        stopped_ = stopped_ || (settings_.stop && settings_.stop());
    }
}

std::vector<WeightedColumn> Game::mixture() const {
    std::vector<WeightedColumn> out;
    const std::vector<Rational> weights = program_.mixture();
    for (std::size_t j = 0; j < weights.size(); ++j)
        if (weights[j] > 0) out.push_back({weights[j], columns_[j]});
    return out;
}

} // namespace kvproof
