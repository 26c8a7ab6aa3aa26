#pragma once

#include "lib/attention/two_stage.hpp"

#include <functional>
#include <memory>

namespace kvproof {

/// Makes the policy of a reader over this layer; tests put a wrong one in the place of ReadKV's.
using MakePolicy =
    std::function<std::unique_ptr<DepthPolicy>(const EncodedLayer&, const Rates&, bool per_head)>;

/// ReadKV's rule by the gains of the layer's own code (3.3).
[[nodiscard]] std::unique_ptr<DepthPolicy> readkv_policy(const EncodedLayer& layer, const Rates& rates,
                                                         bool per_head);

/// How a layer is stored and read.
struct ReaderSetup {
    Transform keys;   ///< U_K
    Transform values; ///< U_V
    NestedCode code;  ///< cut to the stored depth W
    Rates rates;
    bool per_head = false;
    ValueScale value_scale = ValueScale::unit;
};

/// The two-stage reader over one layer, with all that it refers to.
class ReaderRun {
public:
    ReaderRun(const CaptureLayer& layer, const Calibration& calibration, const ReaderSetup& setup,
              const MakePolicy& make_policy);
    ReaderRun(const ReaderRun&) = delete;
    ReaderRun& operator=(const ReaderRun&) = delete;

    /// Answers the queries [H, d_h] at the first `tokens` tokens.
    const TwoStageCall& run(std::span<const double> queries, int tokens);

    [[nodiscard]] EncodedLayer& encoded() { return encoded_; }
    [[nodiscard]] const TwoStageReader& reader() const { return reader_; }

private:
    EncodedLayer encoded_;
    std::unique_ptr<DepthPolicy> policy_;
    TwoStageReader reader_;
    TwoStageCall call_;
};

/// Means of 0 and one scale for all channels.
[[nodiscard]] Calibration plain_calibration(const CaptureShape& shape, double key_scale, double value_scale);

/// A layer of one query head and one KV head over these keys and values, [T, d_h] each; the query comes with
/// the call.
[[nodiscard]] CaptureLayer one_head_layer(int dim, std::vector<double> keys, std::vector<double> values);

/// Throws Error(unknown_quantity) where the code has fewer levels.
void require_depth(const NestedCode& code, int depth);

} // namespace kvproof
