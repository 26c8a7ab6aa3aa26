#pragma once

#include "sim/probe/encoder_search.hpp"
#include "sim/probe/protocol.hpp"

#include <vector>

namespace kvproof {

/// A prior on the pairs of a source and a query: weights that are not negative, in all more than 0, over
/// their sum.
struct Prior {
    std::vector<Integer> weights; ///< [sources, queries]

    [[nodiscard]] Integer total() const;
};

/// The expected loss of the protocol when the decoder answers with the conditional mean of the targets.
[[nodiscard]] Rational bayes_loss(const Protocol& protocol, const Family& family, const Prior& prior);

/// Levels of a tree that is written out: 2^10 leaves, for at most 16 sources.
inline constexpr int most_read = 10;

struct BayesSettings {
    /// Permutations of the sources that fix the prior, each together with one of the queries; as
    /// encoder_space.
    std::vector<std::vector<int>> symmetries = {};
    /// How many protocols of the least loss are kept: at least 1.
    std::size_t most_protocols = 1;
    /// False: `loss` is that of a good protocol, not certainly the best one. For steps of a search.
    bool exact = true;
    /// True: where a search over all encoders would be needed, a local one instead, and `at_least` is 0.
    bool descend = false;
    /// For classes that see the query: encoders looked at before giving up at once, times queries.
    double most_encoders = 2e7;
    StopRequest stop = {};
};

struct LeastBayesLoss {
    Rational loss;                   ///< of the protocols
    Rational at_least;               ///< no protocol of the class loses less; equals `loss` where `exact`
    std::vector<Protocol> protocols; ///< none where the search is too large or was stopped
};

/// Whether least_bayes_loss would search: not too many sources or levels (most_read), and no more encoders
/// than the settings allow.
[[nodiscard]] bool can_search(const Family& family, const AccessClass& access, int bits, int probes,
                              const BayesSettings& settings);

/// The least expected loss over all deterministic protocols of a class. Where the reader must not see the
/// query or reads everything it is a partition of the sources into at most 2^min(bits, probes) sets
/// (PartitionSearch), else best_encoder. They compare losses in fixed point, each set's rounded down by less
/// than 2^-52 of the loss without reading; whatever they find within the sum of these errors is then compared
/// in rationals. Sources of weight 0 are left out and get record 0. Throws Error(bad_option) for more than
/// SetLosses::most_sources sources of positive weight.
[[nodiscard]] LeastBayesLoss least_bayes_loss(const Family& family, const Prior& prior,
                                              const AccessClass& access, int bits, int probes,
                                              const BayesSettings& settings = {});

} // namespace kvproof
