#pragma once

#include "lib/attention/depth_policy.hpp"
#include "lib/attention/encoded_layer.hpp"
#include "lib/attention/softmax.hpp"
#include "lib/reader/reader.hpp"

#include <span>
#include <vector>

namespace kvproof {

/// All that one attention call of the two-stage reader produces on its way (ReadKV 3.2, Algorithm 1), kept
/// because the error certificate speaks of each. Reused from call to call; one for each thread.
struct TwoStageCall {
    int tokens = 0;                    ///< T, the visible ones
    std::vector<double> queries;       ///< q' = U_K q: [H, d_h]
    std::vector<double> key_weights;   ///< a^K: [G, d_h]
    Schedule key_schedule;             ///< t^K: [G, d_h]
    std::vector<double> keys;          ///< reconstructed, channel by channel: [G, d_h, T]
    std::vector<double> logits;        ///< z^: [H, T]
    std::vector<Softmax> attention;    ///< alpha^: T for each query head
    std::vector<double> value_weights; ///< a^V: [G, T]
    Schedule value_schedule;           ///< t^V: [G, T]
    std::vector<double> values;        ///< reconstructed: [G, T, d_h]
    std::vector<double> outputs;       ///< o^ in transformed coordinates: [H, d_h]
    std::uint64_t key_bits = 0;        ///< touched
    std::uint64_t value_bits = 0;      ///< touched, padding included
    AllocationWorkspace workspace;
};

/// The two-stage reader over one encoded layer. First batch: key prefixes, chosen by the query alone. Second:
/// value prefixes, chosen by the attention that the reconstructed keys give. The full-precision cache is not
/// within its reach.
class TwoStageReader {
public:
    TwoStageReader(const EncodedLayer& layer, const DepthPolicy& policy, Transform keys, Transform values,
                   ValueScale value_scale);

    /// Answers the H queries [H, d_h] of one position that sees the first `tokens` tokens.
    void run(std::span<const double> queries, int tokens, TwoStageCall& call) const;
    /// The outputs of a call in the coordinates of the capture: [H, d_h].
    [[nodiscard]] std::vector<double> outputs(const TwoStageCall& call) const;

    /// s_g: 1, or the sum of the squared value scales of KV head g.
    [[nodiscard]] double value_scale(int g) const { return value_scales_[static_cast<std::size_t>(g)]; }
    [[nodiscard]] const EncodedLayer& layer() const { return layer_; }
    [[nodiscard]] const DepthPolicy& policy() const { return policy_; }
    [[nodiscard]] const Transform& key_transform() const { return keys_; }
    [[nodiscard]] const Transform& value_transform() const { return values_; }

private:
    void read_keys(TwoStageCall& call) const;
    void read_values(TwoStageCall& call) const;

    const EncodedLayer& layer_;
    const DepthPolicy& policy_;
    Transform keys_;
    Transform values_;
    std::vector<double> value_scales_;
};

} // namespace kvproof
