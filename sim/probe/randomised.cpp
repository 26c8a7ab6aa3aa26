#include "sim/probe/randomised.hpp"

#include "lib/error.hpp"
#include "sim/probe/game.hpp"
#include "sim/probe/rounding.hpp"
#include "sim/probe/set_losses.hpp"

#include <algorithm>

namespace kvproof {
namespace {

std::vector<std::vector<int>> source_parts(const std::vector<Symmetry>& group) {
    std::vector<std::vector<int>> out;
    for (const Symmetry& symmetry : group) out.push_back(symmetry.sources);
    return out;
}

/// On the first query of each class.
Prior for_all_queries(const Prior& prior, const QueryClasses& classes, const Family& family) {
    Prior out{std::vector<Integer>(static_cast<std::size_t>(family.sources) *
                                   static_cast<std::size_t>(family.queries))};
    const std::size_t distinct = classes.representative.size();
    for (std::size_t pair = 0; pair < prior.weights.size(); ++pair)
        out.weights[pair / distinct * static_cast<std::size_t>(family.queries) +
                    static_cast<std::size_t>(classes.representative[pair % distinct])] = prior.weights[pair];
    return out;
}

std::vector<WeightedProtocol> written_out(const std::vector<WeightedColumn>& columns, const Family& family,
                                          const QueryClasses& classes, bool sees_query) {
    std::vector<Rational> weights;
    for (const WeightedColumn& one : columns) weights.push_back(one.weight);
    const std::vector<Integer> integers = in_proportion(weights);
    std::vector<WeightedProtocol> out;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const Column column = for_all_queries(columns[j].column, classes, sees_query);
        out.push_back({integers[j], column.protocol, answers(column, family)});
    }
    return out;
}

/// One query alone, and one source for each of its targets: a reader that knows the query faces no more.
struct OneQuery {
    Family family;
    std::vector<int> sources;
};
OneQuery one_query(const Family& family, int y) {
    OneQuery out{family, {}};
    out.family.queries = 1;
    out.family.targets.clear();
    out.family.source_names.clear();
    out.family.query_names.clear();
    for (int x = 0; x < family.sources; ++x) {
        const auto target = family.target(x, y);
        if (std::ranges::any_of(
                out.sources, [&](int other) { return std::ranges::equal(family.target(other, y), target); }))
            continue;
        out.sources.push_back(x);
        out.family.targets.insert(out.family.targets.end(), target.begin(), target.end());
    }
    out.family.sources = static_cast<int>(out.sources.size());
    return out;
}

/// One class and budget of a family.
class Solver {
public:
    Solver(const Family& family, const AccessClass& access, int bits, int probes,
           const GameSettings& settings)
        : family_(family), access_(access), bits_(bits), probes_(probes), settings_(settings),
          classes_(distinct_queries(family)),
          group_(symmetries(classes_.family, settings.most_group)), bayes_{.symmetries = source_parts(group_),
                                                                           .most_protocols = 24,
                                                                           .most_encoders =
                                                                               settings.most_encoders,
                                                                           .stop = settings.stop} {}

    Bracket solve() {
        if (pair_orbits(classes_.family, group_).sizes.size() > most_orbits) return unplayed();
        const bool all = can_search(classes_.family, access_, bits_, probes_, bayes_);
        Bracket out;
        GameSettings settings = settings_;
        if (!all) {
            out = lower_by_relaxing();
            bayes_.descend = true;
            settings.most_rounds = std::min(settings.most_rounds, most_descents);
        }
        const auto respond = [&](const Prior& prior, bool exact) { return answer(prior, exact); };
        Game game(classes_.family, group_, respond, settings, out.lower);
        game.run();
        out.rounds = game.rounds();
        out.finished = !game.stopped();
        if (all && out.finished) set_lower(game, out);
        // stopped at once: nothing is written, and the decoder answers with a mean
        set_upper(game.has_mixture() ? few_images(game.mixture(), classes_.family, group_, settings_.stop)
                                     : std::vector<WeightedColumn>{{1, nothing_written()}},
                  out);
        return out;
    }

private:
    /// A local search knows no lower end that would tell it when to end.
    static constexpr int most_descents = 6;
    /// The program's basis is a square of so many exact numbers.
    static constexpr std::size_t most_orbits = 1024;

    LeastBayesLoss answer(const Prior& prior, bool exact) const {
        BayesSettings one = bayes_;
        one.exact = exact;
        return least_bayes_loss(classes_.family, prior, access_, bits_, probes_, one);
    }

    void set_lower(const Game& game, Bracket& out) const {
        const Prior prior = game.prior_of(game.lower_weights());
        const LeastBayesLoss least = answer(prior, true);
        out.finished = out.finished && !least.protocols.empty();
        if (!out.finished) return;
        out.lower = least.loss;
        out.lower_rule = LowerRule::own_class;
        out.prior = for_all_queries(prior, classes_, family_);
    }

    void set_upper(const std::vector<WeightedColumn>& columns, Bracket& out) const {
        out.mixture = written_out(columns, family_, classes_, access_.sees_query);
        out.upper = std::ranges::max(expected_losses(family_, out.mixture));
    }

    /// What needs no game.
    [[nodiscard]] Bracket unplayed() const {
        Bracket out;
        out.finished = false;
        set_upper({{1, nothing_written()}}, out);
        return out;
    }

    [[nodiscard]] Column nothing_written() const {
        const Prior uniform{std::vector<Integer>(static_cast<std::size_t>(classes_.family.sources) *
                                                     static_cast<std::size_t>(classes_.family.queries),
                                                 1)};
        return with_means(unread_protocol(classes_.family, access_, bits_, probes_), classes_.family, uniform,
                          uniform);
    }

    /// The better of two games that are easier to win: the whole record is read, or the query is known.
    [[nodiscard]] Bracket lower_by_relaxing() const {
        const AccessClass blind{};
        Bracket best;
        const auto consider = [&](Bracket easier, LowerRule rule) {
            if (easier.lower <= best.lower) return;
            best.lower = easier.lower;
            best.lower_rule = rule;
            best.prior = std::move(easier.prior);
        };
        // else the record can name the source, and reading it whole loses nothing
        if (bits_ < most_read && 1 << bits_ < family_.sources)
            consider(Solver(family_, blind, bits_, bits_, settings_).solve(), LowerRule::full_read);
        const int read = std::min(bits_, probes_);
        for (const int y : classes_.representative) {
            const OneQuery one = one_query(family_, y);
            Bracket easier = Solver(one.family, blind, read, read, settings_).solve();
            Prior wide{std::vector<Integer>(static_cast<std::size_t>(family_.sources) *
                                            static_cast<std::size_t>(family_.queries))};
            for (std::size_t i = 0; i < easier.prior.weights.size(); ++i)
                wide.weights[static_cast<std::size_t>(one.sources[i]) *
                                 static_cast<std::size_t>(family_.queries) +
                             static_cast<std::size_t>(y)] = easier.prior.weights[i];
            easier.prior = std::move(wide);
            consider(std::move(easier), LowerRule::one_query);
        }
        return best;
    }

    const Family& family_;
    AccessClass access_;
    int bits_;
    int probes_;
    GameSettings settings_;
    QueryClasses classes_;
    std::vector<Symmetry> group_;
    BayesSettings bayes_;
};

} // namespace

std::string to_string(LowerRule rule) {
    switch (rule) {
    case LowerRule::own_class: return "own-class";
    case LowerRule::one_query: return "one-query";
    case LowerRule::full_read: return "full-read";
    case LowerRule::nothing: break;
    }
    return "nothing";
}

Bracket randomised_risk(const Family& family, const AccessClass& access, int bits, int probes,
                        const GameSettings& settings) {
    if (family.sources > SetLosses::most_sources)
        throw Error(ErrorCode::bad_option,
                    "family \"" + family.name + "\": found " + std::to_string(family.sources) +
                        " sources, expected at most " + std::to_string(SetLosses::most_sources));
    if (bits < 0 || bits > 32 || probes < 0 || std::min(bits, probes) > most_read)
        throw Error(ErrorCode::bad_option,
                    "budget: found " + std::to_string(bits) + " bits and " + std::to_string(probes) +
                        " probes, expected 0 to 32 bits and probes from 0, the smaller of them at most " +
                        std::to_string(most_read));
    return Solver(family, access, bits, probes, settings).solve();
}

} // namespace kvproof
