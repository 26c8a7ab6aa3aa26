#include "lib/reader/kvquant.hpp"

#include "lib/error.hpp"
#include "lib/reader/calibration_layer.hpp"
#include "lib/reader/decoded_layer.hpp"
#include "lib/reader/kvquant_code.hpp"

namespace kvproof {
namespace {

class KvquantLayer final : public DecodedLayer {
public:
    KvquantLayer(const CaptureLayer& layer, const CaptureLayer& calibration, int bits)
        : DecodedLayer(layer), bits_(static_cast<std::uint64_t>(bits)) {
        const KvquantCalibration learnt = calibrate_kvquant(calibration, bits);
        quantise_keys(keys_, layer.shape, learnt);
        saturated_ = quantise_values(values_, layer.shape, learnt.value_levels);
    }

private:
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
