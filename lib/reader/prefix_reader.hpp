#pragma once

#include "lib/attention/two_stage.hpp"
#include "lib/reader/reader.hpp"

#include <functional>
#include <memory>
#include <string>

namespace kvproof {

/// Makes the policy of one layer. Most need the gains of the stored levels and no more; the calibrated one
/// also looks at the calibration layer.
using PolicyOf = std::function<std::unique_ptr<DepthPolicy>(const LayerInput&, const ReaderSettings&,
                                                            const NestedCode& stored)>;

/// A reader of ReadKV's family: the progressive code at one stored depth, and the two-stage reader with a
/// policy of its own. Calls load the layer's calibration (4 G d_h numbers of 16 bits) and both centroid
/// tables.
class PrefixReader final : public Reader {
public:
    /// `name` is for error lines; 1 <= stored <= 8.
    PrefixReader(std::string name, int stored, PolicyOf policy)
        : name_(std::move(name)), stored_(stored), policy_(std::move(policy)) {}

    [[nodiscard]] bool needs_calibration() const override { return true; }
    [[nodiscard]] std::uint64_t shared_bits() const override;
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings& settings) const override;

private:
    std::string name_;
    int stored_;
    PolicyOf policy_;
};

/// What PrefixReader encodes to: `certify` looks at the call behind an answer.
class PrefixLayer final : public StoredLayer {
public:
    PrefixLayer(const CaptureLayer& layer, const Calibration& calibration, const ReaderSettings& settings,
                const NestedCode& stored, std::unique_ptr<DepthPolicy> policy);

    [[nodiscard]] Answer answer(std::span<const double> queries, int tokens) const override;
    [[nodiscard]] std::uint64_t stored_bits(int tokens) const override;

    /// What each call loads beside the prefixes: the layer's calibration and the tables.
    [[nodiscard]] std::uint64_t call_overhead() const;
    [[nodiscard]] const TwoStageReader& reader() const { return reader_; }
    /// For tests that turn stored bits over.
    [[nodiscard]] EncodedLayer& encoded() { return encoded_; }

private:
    EncodedLayer encoded_;
    std::unique_ptr<DepthPolicy> policy_;
    TwoStageReader reader_;
};

/// The weights of calibration:W,RK,RV, from the calibration layer alone: key weights are means over its
/// queries; the value weight of a KV head is the mean over its queries, visible tokens and sharing heads'
/// sums of s_g alpha^^2, with keys read to the depths that those key weights get.
[[nodiscard]] std::unique_ptr<DepthPolicy> policy_from_calibration(const LayerInput& input,
                                                                   const ReaderSettings& settings,
                                                                   const NestedCode& stored,
                                                                   const Rates& rates);

} // namespace kvproof
