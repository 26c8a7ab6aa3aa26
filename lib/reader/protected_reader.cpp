#include "lib/reader/protected_reader.hpp"

#include "lib/error.hpp"
#include "lib/reader/dense.hpp"

#include <utility>

namespace kvproof {
namespace {

constexpr int ends = 2; // dense layers at either end

class ProtectedReader final : public Reader {
public:
    ProtectedReader(std::unique_ptr<Reader> inner, int layers)
        : inner_(std::move(inner)), dense_(dense_reader()), layers_(layers) {}

    [[nodiscard]] bool needs_calibration() const override {
        return compresses() && inner_->needs_calibration();
    }
    void prepare(const CaptureSource& calibration, std::span<const int> layers) override {
        std::vector<int> compressed;
        for (const int index : layers)
            if (!whole(index)) compressed.push_back(index);
        if (compresses()) inner_->prepare(calibration, compressed);
    }
    [[nodiscard]] std::uint64_t shared_bits() const override {
        return compresses() ? inner_->shared_bits() : 0;
    }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings& settings) const override {
        return (whole(input.index) ? dense_ : inner_)->encode(input, settings);
    }

private:
    [[nodiscard]] bool whole(int layer) const { return layer < ends || layer >= layers_ - ends; }
    [[nodiscard]] bool compresses() const { return layers_ > 2 * ends; }

    std::unique_ptr<Reader> inner_;
    std::unique_ptr<Reader> dense_;
    int layers_;
};

} // namespace

std::unique_ptr<Reader> protected_reader(std::unique_ptr<Reader> inner, int layers) {
    if (layers < 2 * ends)
        throw Error(ErrorCode::bad_option, "+protect: found a model of " + std::to_string(layers) +
                                               " layers, expected at least 4: the first two and the last two "
                                               "are kept dense");
    return std::make_unique<ProtectedReader>(std::move(inner), layers);
}

} // namespace kvproof
