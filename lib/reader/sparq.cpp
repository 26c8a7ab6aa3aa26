#include "lib/reader/sparq.hpp"

namespace kvproof {
namespace {

class SparqReader final : public Reader {
public:
    explicit SparqReader(const SparqOptions& options) : options_(options) {}
    [[nodiscard]] bool needs_calibration() const override { return false; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings&) const override {
        const CaptureLayer& layer = input.layer;
        const HeadVectors keys(layer.shape, layer.k);
        return sparq_layer({.shape = layer.shape,
                            .transform = Transform::identity(static_cast<std::size_t>(layer.shape.dim)),
                            .scored = keys,
                            .keys = keys,
                            .values = HeadVectors(layer.shape, layer.v),
                            .means = running_means(layer)},
                           options_, "sparq");
    }

private:
    SparqOptions options_;
};

} // namespace

std::unique_ptr<Reader> sparq_reader(const SparqOptions& options) {
    require_valid(options, "sparq");
    return std::make_unique<SparqReader>(options);
}

} // namespace kvproof
