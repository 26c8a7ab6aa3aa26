#include "lib/reader/dense.hpp"

#include "lib/reader/head_vectors.hpp"
#include "lib/reader/whole_read_layer.hpp"

namespace kvproof {
namespace {

class DenseLayer final : public WholeReadLayer {
public:
    explicit DenseLayer(const CaptureLayer& layer)
        : WholeReadLayer(layer.shape), keys_(layer.shape, layer.k), values_(layer.shape, layer.v) {}

    [[nodiscard]] std::uint64_t stored_bits(int tokens) const override { return dense_bits(shape(), tokens); }

private:
    [[nodiscard]] std::span<const double> key(int kv_head, int token, int) const override {
        return keys_.at(kv_head, token);
    }
    [[nodiscard]] std::span<const double> value(int kv_head, int token, int) const override {
        return values_.at(kv_head, token);
    }
    [[nodiscard]] CallBits call_bits(int tokens) const override { return {dense_bits(shape(), tokens), 0}; }

    HeadVectors keys_;
    HeadVectors values_;
};

class DenseReader final : public Reader {
public:
    [[nodiscard]] bool needs_calibration() const override { return false; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings&) const override {
        return std::make_unique<DenseLayer>(input.layer);
    }
};

} // namespace

std::unique_ptr<Reader> dense_reader() {
    return std::make_unique<DenseReader>();
}

std::uint64_t dense_bits(const CaptureShape& shape, int tokens) {
    constexpr std::uint64_t half = 16;
    return 2 * half * static_cast<std::uint64_t>(shape.kv_heads) * static_cast<std::uint64_t>(shape.dim) *
           static_cast<std::uint64_t>(tokens);
}

} // namespace kvproof
