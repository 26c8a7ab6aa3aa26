#include "lib/attention/depth_policy.hpp"

#include <utility>

namespace kvproof {
namespace {

class AdaptivePolicy final : public DepthPolicy {
public:
    AdaptivePolicy(Rates rates, std::vector<double> gains, bool per_head)
        : rates_(std::move(rates)), gains_(std::move(gains)), per_head_(per_head) {}

    [[nodiscard]] Schedule choose(const StageItems& items, AllocationWorkspace& workspace) const override {
        return schedule_prefixes(items.weights, items.heads, gains_, rates_.of(items.stage),
                                 {.per_head = per_head_}, workspace);
    }

private:
    Rates rates_;
    std::vector<double> gains_;
    bool per_head_;
};

class FixedPolicy final : public DepthPolicy {
public:
    explicit FixedPolicy(unsigned depth) : depth_(depth) {}

    [[nodiscard]] Schedule choose(const StageItems& items,
                                  AllocationWorkspace& /*workspace*/) const override {
        const std::size_t count = items.weights.size();
        const std::uint64_t spent = std::uint64_t{depth_} * count;
        return {std::vector(count, static_cast<std::uint8_t>(depth_)), spent, spent};
    }

private:
    unsigned depth_;
};

class CalibratedPolicy final : public DepthPolicy {
public:
    CalibratedPolicy(Rates rates, std::vector<double> gains, bool per_head, std::vector<double> key_weights,
                     std::vector<double> value_weights)
        : adaptive_(std::move(rates), std::move(gains), per_head), key_weights_(std::move(key_weights)),
          value_weights_(std::move(value_weights)) {}

    [[nodiscard]] Schedule choose(const StageItems& items, AllocationWorkspace& workspace) const override {
        if (items.stage == Stage::keys)
            return adaptive_.choose({items.stage, items.heads, key_weights_}, workspace);
        const std::size_t tokens = items.weights.size() / items.heads;
        std::vector<double> weights;
        for (const double weight : value_weights_) weights.insert(weights.end(), tokens, weight);
        return adaptive_.choose({items.stage, items.heads, weights}, workspace);
    }

private:
    AdaptivePolicy adaptive_;
    std::vector<double> key_weights_;
    std::vector<double> value_weights_;
};

class TwoLevelPolicy final : public DepthPolicy {
public:
    TwoLevelPolicy(unsigned low, Rates rates, std::vector<double> gains, TwoLevelScope scope)
        : low_(low), deep_(static_cast<unsigned>(gains.size())), rates_(rates), scope_(scope),
          adaptive_(std::move(rates), std::move(gains), false) {}

    [[nodiscard]] Schedule choose(const StageItems& items, AllocationWorkspace& workspace) const override {
        const bool free =
            items.stage == Stage::keys ? scope_ == TwoLevelScope::values : scope_ == TwoLevelScope::keys;
        if (free) return adaptive_.choose(items, workspace);
        const std::string what = items.stage == Stage::keys ? "key rate" : "value rate";
        return two_level_schedule(items.weights, low_, deep_,
                                  budget_for(rates_.of(items.stage), items.weights.size(), what));
    }

private:
    unsigned low_;
    unsigned deep_;
    Rates rates_;
    TwoLevelScope scope_;
    AdaptivePolicy adaptive_;
};

class RestrictedPolicy final : public DepthPolicy {
public:
    RestrictedPolicy(Rational rate, std::vector<double> gains)
        : rate_(std::move(rate)), gains_(std::move(gains)) {}

    [[nodiscard]] Schedule choose(const StageItems& items, AllocationWorkspace& workspace) const override {
        const SchedulePolicy restrictions{
            .minimum = 1, .per_head = true, .paired = items.stage == Stage::values};
        return schedule_prefixes(items.weights, items.heads, gains_, rate_, restrictions, workspace);
    }
    [[nodiscard]] bool paired() const override { return true; }

private:
    Rational rate_;
    std::vector<double> gains_;
};

} // namespace

std::unique_ptr<DepthPolicy> adaptive_policy(Rates rates, std::vector<double> gains, bool per_head) {
    return std::make_unique<AdaptivePolicy>(std::move(rates), std::move(gains), per_head);
}

std::unique_ptr<DepthPolicy> fixed_policy(unsigned depth) {
    return std::make_unique<FixedPolicy>(depth);
}

std::unique_ptr<DepthPolicy> calibrated_policy(Rates rates, std::vector<double> gains, bool per_head,
                                               std::vector<double> key_weights,
                                               std::vector<double> value_weights) {
    return std::make_unique<CalibratedPolicy>(std::move(rates), std::move(gains), per_head,
                                              std::move(key_weights), std::move(value_weights));
}

std::unique_ptr<DepthPolicy> two_level_policy(unsigned low, Rates rates, std::vector<double> gains,
                                              TwoLevelScope scope) {
    return std::make_unique<TwoLevelPolicy>(low, std::move(rates), std::move(gains), scope);
}

std::unique_ptr<DepthPolicy> restricted_policy(const Rational& rate, std::vector<double> gains) {
    return std::make_unique<RestrictedPolicy>(rate, std::move(gains));
}

} // namespace kvproof
