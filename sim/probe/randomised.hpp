#pragma once

#include "sim/probe/mixture.hpp"

#include <string>
#include <vector>

namespace kvproof {

/// Why no protocol loses less than the lower end.
enum class LowerRule {
    own_class, ///< least_bayes_loss of the prior over the class itself
    one_query, ///< the same; the prior is on one query, so it is that over all partitions into 2^min(w, r)
               ///< sets
    full_read, ///< least_bayes_loss over readers of the whole record (r = w), which can do what the class can
    nothing,   ///< losses are not negative; there is no prior
};
[[nodiscard]] std::string to_string(LowerRule rule);

/// The randomised minimax risk of a class with public coins lies in [lower, upper]: both are exact.
struct Bracket {
    Rational lower;
    Rational upper;
    LowerRule lower_rule = LowerRule::nothing;
    Prior prior; ///< whose least expected loss `lower` is; none where rule `nothing`
    std::vector<WeightedProtocol> mixture; ///< whose largest expected loss `upper` is
    int rounds = 0;                        ///< priors that the class has answered
    bool finished = true; ///< false where it was stopped: more rounds may bring the ends closer

    [[nodiscard]] bool closed() const { return lower == upper; }
};

struct GameSettings {
    int most_rounds = 40;       ///< answers of the class, each a search over all encoders
    int gap_bits = 24;          ///< enough is a gap of 2^-gap_bits of the upper end
    double most_encoders = 2e7; ///< BayesSettings
    std::size_t most_group = most_symmetries;
    StopRequest stop = {};
};

/// By column generation: the exact program over the protocols known so far gives a mixture and, as its dual,
/// a prior; the class's best answer to that prior is the next protocol. Priors and mixtures are taken
/// invariant under the symmetries, so a row of the program is an orbit of pairs. Priors with small integers
/// near the dual are tried too: at one that is best, the class's answers with its conditional means close the
/// bracket. The ends are in the end computed anew from prior and mixture; the program's word counts for
/// nothing.
///
/// With more than 1024 orbits of pairs there is no game: [0, the loss of reading nothing].
///
/// Where the class is too large to search (can_search), `lower` is the best of a reader of the whole record
/// and of single queries, and `upper` comes from encoders found by local search. Throws Error(bad_option) for
/// more than SetLosses::most_sources sources.
[[nodiscard]] Bracket randomised_risk(const Family& family, const AccessClass& access, int bits, int probes,
                                      const GameSettings& settings = {});

} // namespace kvproof
