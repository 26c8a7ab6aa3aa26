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

} // namespace

std::string to_string(LowerRule rule) {
    switch (rule) {
    case LowerRule::own_class: return "own-class";
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
    const QueryClasses classes = distinct_queries(family);
    const std::vector<Symmetry> group = symmetries(classes.family, settings.most_group);
    const BayesSettings bayes{.symmetries = source_parts(group),
                              .most_protocols = 24,
                              .most_encoders = settings.most_encoders,
                              .stop = settings.stop};
    const auto respond = [&](const Prior& prior, bool exact) {
        BayesSettings one = bayes;
        one.exact = exact;
        return least_bayes_loss(classes.family, prior, access, bits, probes, one);
    };
    Game game(classes.family, group, respond, settings);
    game.run();
    Bracket out;
    out.rounds = game.rounds();
    out.finished = !game.stopped();
    const Prior prior = game.prior_of(game.lower_weights());
    const LeastBayesLoss least = respond(prior, true);
    if (!least.protocols.empty()) {
        out.lower = least.loss;
        out.lower_rule = LowerRule::own_class;
        out.prior = for_all_queries(prior, classes, family);
    }
    out.mixture =
        written_out(few_images(game.mixture(), classes.family, group), family, classes, access.sees_query);
    out.upper = std::ranges::max(expected_losses(family, out.mixture));
    return out;
}

} // namespace kvproof
