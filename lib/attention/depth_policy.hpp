#pragma once

#include "lib/allocate/schedule.hpp"

#include <memory>
#include <span>
#include <vector>

namespace kvproof {

enum class Stage { keys, values };

/// The items of one stage of one call: weights [heads, n], row-major. Key items are channels, value items the
/// visible tokens.
struct StageItems {
    Stage stage;
    std::size_t heads; ///< KV heads G
    std::span<const double> weights;
};

/// The mean depths that a reader asks for: R_K over channels, R_V over tokens.
struct Rates {
    Rational keys;
    Rational values;
    [[nodiscard]] const Rational& of(Stage stage) const { return stage == Stage::keys ? keys : values; }
};

/// How deep each prefix is read. The two-stage reader asks once a stage; what it asks with is all that the
/// choice may depend on: the query for keys, the query and the fetched key bits for values.
class DepthPolicy {
public:
    DepthPolicy() = default;
    DepthPolicy(const DepthPolicy&) = delete;
    DepthPolicy& operator=(const DepthPolicy&) = delete;
    virtual ~DepthPolicy() = default;

    /// The depths [heads, n]. Safe to call from several threads with a workspace each.
    [[nodiscard]] virtual Schedule choose(const StageItems& items, AllocationWorkspace& workspace) const = 0;
    /// Whether a value token is paired with its neighbour, so that an odd last one is padded and charged.
    [[nodiscard]] virtual bool paired() const { return false; }
};

/// ReadKV's rule (3.3): ChooseDepths on the current weights by the gains [W], with B = floor(R G n) for all
/// KV heads together, or floor(R n) for each.
[[nodiscard]] std::unique_ptr<DepthPolicy> adaptive_policy(Rates rates, std::vector<double> gains,
                                                           bool per_head);

/// Every prefix read to this depth: Full Reader (W, W) and uniform:R.
[[nodiscard]] std::unique_ptr<DepthPolicy> fixed_policy(unsigned depth);

/// calibration:W,RK,RV (ReadKV F.5): ChooseDepths on weights fixed before the query: key weights [G, d_h] and
/// one value weight for each KV head, since an unseen token has no score of its own.
[[nodiscard]] std::unique_ptr<DepthPolicy> calibrated_policy(Rates rates, std::vector<double> gains,
                                                             bool per_head, std::vector<double> key_weights,
                                                             std::vector<double> value_weights);

/// Which stages the two-depth control restricts (ReadKV F.6); the other one chooses freely.
enum class TwoLevelScope { keys, values, both };

/// two-level:LOW,W,RK,RV (ReadKV F.6): depth W = gains.size() for as many of the largest weights as the
/// budget allows, LOW for the rest; one budget for all KV heads. `choose` throws Error(bad_option) where B <
/// LOW N.
[[nodiscard]] std::unique_ptr<DepthPolicy> two_level_policy(unsigned low, Rates rates,
                                                            std::vector<double> gains, TwoLevelScope scope);

/// readkv-gpu:W,R (ReadKV F.8): a budget for each head, depth 1 for all first, and value tokens (2j, 2j + 1)
/// that share a depth; an odd last token is padded and charged.
[[nodiscard]] std::unique_ptr<DepthPolicy> restricted_policy(const Rational& rate, std::vector<double> gains);

} // namespace kvproof
