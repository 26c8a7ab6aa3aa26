#pragma once

#include "gpu/from_library/reader_storage.hpp"
#include "gpu/reader/reader_work.hpp"
#include "lib/account/system.hpp"
#include "lib/reader/reader.hpp"

#include <memory>

namespace kvproof::gpu {

/// A layer as readkv:W,RK,RV stores it, with its calls answered by the bodies, here or on a device: all in
/// binary32, the calibration rounded to it before anything is encoded.
class BodyLayer final : public StoredLayer {
public:
    /// With `certificates`, the full-precision side goes along.
    BodyLayer(const System& system, const LayerInput& input, const ReaderSettings& settings,
              const ServeLayer& serve, bool certificates);

    [[nodiscard]] Answer answer(std::span<const double> queries, int tokens) const override;
    [[nodiscard]] std::uint64_t stored_bits(int tokens) const override;

    /// U_K q, rounded: [H, d_h].
    [[nodiscard]] std::vector<float> transformed(std::span<const double> queries) const;
    [[nodiscard]] ReaderReply reply(const std::vector<float>& transformed, int tokens) const;
    /// Bits of prefixes that a call read, and what else it loads.
    [[nodiscard]] std::uint64_t payload_bits(const ReaderReply& reply, int tokens) const;
    [[nodiscard]] std::uint64_t overhead_bits() const;

    [[nodiscard]] const ReaderSettings& settings() const { return settings_; }
    [[nodiscard]] ReaderLayer view() const { return storage_.view(); }
    [[nodiscard]] const std::vector<float>& exact_keys() const { return keys_; }     ///< k': [G, d_h, T]
    [[nodiscard]] const std::vector<float>& exact_values() const { return values_; } ///< v': [G, T, d_h]
    /// Increments that the pools of a stage may spend together.
    [[nodiscard]] std::uint64_t budget(bool values, int tokens) const;

private:
    [[nodiscard]] std::uint64_t pool_budget(bool values, int tokens) const;

    System system_;
    ReaderSettings settings_;
    ReaderStorage storage_;
    std::vector<double> distortions_;
    std::vector<float> keys_;
    std::vector<float> values_;
    AnswerCall call_;
};

/// readkv:W,R or readkv:W,RK,RV, perhaps with +protect. Throws Error(bad_option) for another system.
[[nodiscard]] std::unique_ptr<Reader> readkv_by_bodies(const System& system, int layers, ServeLayer serve);

} // namespace kvproof::gpu
