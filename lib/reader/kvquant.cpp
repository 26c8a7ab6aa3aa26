#include "lib/reader/kvquant.hpp"

#include "lib/error.hpp"
#include "lib/reader/calibration_layer.hpp"
#include "lib/reader/kvquant_code.hpp"
#include "lib/reader/whole_read_layer.hpp"

namespace kvproof {
namespace {

class KvquantLayer final : public WholeReadLayer {
public:
    KvquantLayer(const CaptureLayer& layer, const CaptureLayer& calibration, int bits)
        : WholeReadLayer(layer.shape), bits_(static_cast<std::uint64_t>(bits)), keys_(layer.shape, layer.k),
          values_(layer.shape, layer.v) {
        const KvquantCalibration learnt = calibrate_kvquant(calibration, bits);
        quantise_keys(keys_, layer.shape, learnt);
        saturated_ = quantise_values(values_, layer.shape, learnt.value_levels);
    }

    [[nodiscard]] std::uint64_t stored_bits(int tokens) const override {
        const CallBits bits = call_bits(tokens);
        return bits.payload + bits.overhead; // its levels are the layer's own
    }
    [[nodiscard]] std::uint64_t saturated() const override { return saturated_; }

private:
    [[nodiscard]] std::span<const double> key(int kv_head, int token, int) const override {
        return keys_.at(kv_head, token);
    }
    [[nodiscard]] std::span<const double> value(int kv_head, int token, int) const override {
        return values_.at(kv_head, token);
    }
    [[nodiscard]] CallBits call_bits(int tokens) const override {
        constexpr std::uint64_t half = 16;
        constexpr std::uint64_t index = 16;
        const std::uint64_t outliers = 2 * static_cast<std::uint64_t>(kvquant_outliers(shape()));
        const auto coded = static_cast<std::uint64_t>(tokens - 1);
        const std::uint64_t ranges = 2 * half * scalars();
        const std::uint64_t levels = 2 * (std::uint64_t{1} << bits_) * 32;
        return {2 * half * scalars() + (2 * bits_ * scalars() + outliers * half) * coded,
                (outliers * index + 2 * half) * coded + ranges + levels};
    }

    std::uint64_t bits_;
    HeadVectors keys_; // decoded
    HeadVectors values_;
    std::uint64_t saturated_ = 0;
};

class KvquantReader final : public Reader {
public:
    explicit KvquantReader(int bits) : bits_(bits) {}
    [[nodiscard]] bool needs_calibration() const override { return true; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings&) const override {
        constexpr int most = 65536; // what a 16-bit index tells apart
        const CaptureShape& shape = input.layer.shape;
        if (shape.kv_heads * shape.dim > most)
            throw Error(ErrorCode::bad_option, "reader \"kvquant\": found " +
                                                   std::to_string(shape.kv_heads * shape.dim) +
                                                   " channels in a layer, expected at most 65536");
        return std::make_unique<KvquantLayer>(input.layer, required_calibration(input, "kvquant"), bits_);
    }

private:
    int bits_;
};

} // namespace

std::unique_ptr<Reader> kvquant_reader(int bits) {
    if (bits < 1 || bits > 8)
        throw Error(ErrorCode::bad_option,
                    "reader \"kvquant\": found " + std::to_string(bits) + " bits, expected 1 to 8");
    return std::make_unique<KvquantReader>(bits);
}

} // namespace kvproof
