#include "lib/reader/turboquant.hpp"

#include "lib/codec/inner_product_code.hpp"
#include "lib/codec/uniform_group.hpp"
#include "lib/error.hpp"
#include "lib/reader/decoded_layer.hpp"

#include <functional>

namespace kvproof {
namespace {

/// Replaces a vector by what is stored of it; returns how many numbers were beyond binary16's range.
using VectorCodec = std::function<std::size_t(std::span<double>)>;

Transform rotation(const TurboQuantOptions& options, const Transform& asked, std::uint16_t stream) {
    const std::size_t d = asked.dimension();
    if (asked.is_identity()) return Transform::identity(d);
    return options.signs ? Transform::hadamard(d, options.seed, stream) : Transform::hadamard(d);
}

UnitVectorCode direction_code(const TurboQuantOptions& options, int bits, Transform transform) {
    const int d = static_cast<int>(transform.dimension());
    return {std::move(transform),
            options.law == TurboQuantOptions::Law::gaussian ? gaussian_levels(bits)
                                                            : unit_vector_levels(bits, d),
            options.norm_correction};
}

VectorCodec key_codec(const TurboQuantOptions& options, const ReaderSettings& settings) {
    Transform transform = rotation(options, settings.keys, 0);
    if (options.sketch)
        return [code = InnerProductCode(direction_code(options, options.bits - 1, std::move(transform)),
                                        options.seed)](std::span<double> x) -> std::size_t {
            return code.quantise(x) ? 1 : 0;
        };
    return [code = direction_code(options, options.bits, std::move(transform))](
               std::span<double> x) -> std::size_t { return code.quantise(x) ? 1 : 0; };
}

VectorCodec value_codec(const TurboQuantOptions& options, const ReaderSettings& settings) {
    if (options.vector_values)
        return [code = direction_code(options, options.bits, rotation(options, settings.values, 1))](
                   std::span<double> x) -> std::size_t { return code.quantise(x) ? 1 : 0; };
    return
        [bits = options.bits](std::span<double> x) { return quantise_group(x, bits, CodeRounding::half_up); };
}

class TurboQuantLayer final : public DecodedLayer {
public:
    TurboQuantLayer(const CaptureLayer& layer, const TurboQuantOptions& options,
                    const ReaderSettings& settings)
        : DecodedLayer(layer), options_(options) {
        const VectorCodec code_key = key_codec(options, settings);
        const VectorCodec code_value = value_codec(options, settings);
        for (int g = 0; g < layer.shape.kv_heads; ++g)
            for (int j = 0; j < layer.shape.tokens; ++j)
                saturated_ += code_key(keys_.at(g, j)) + code_value(values_.at(g, j));
    }

private:
    [[nodiscard]] CallBits call_bits(int tokens) const override {
        constexpr std::uint64_t half = 16;
        const std::uint64_t key_fields = options_.sketch ? 2 : 1;          // norm; norm of the residual
        const std::uint64_t value_fields = options_.vector_values ? 1 : 2; // norm; scale and offset
        const auto t = static_cast<std::uint64_t>(tokens);
        return {2 * static_cast<std::uint64_t>(options_.bits) * scalars() * t,
                half * (key_fields + value_fields) * heads() * t};
    }

    TurboQuantOptions options_;
};

class TurboQuantReader final : public Reader {
public:
    explicit TurboQuantReader(const TurboQuantOptions& options) : options_(options) {}
    [[nodiscard]] bool needs_calibration() const override { return false; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings& settings) const override {
        return std::make_unique<TurboQuantLayer>(input.layer, options_, settings);
    }

private:
    TurboQuantOptions options_;
};

} // namespace

TurboQuantOptions turboquant_mse(int bits, std::uint64_t seed) {
    TurboQuantOptions out;
    out.bits = bits;
    out.signs = true;
    out.law = TurboQuantOptions::Law::unit_vector;
    out.norm_correction = false;
    out.vector_values = true;
    out.seed = seed;
    return out;
}

TurboQuantOptions turboquant_prod(int bits, std::uint64_t seed) {
    TurboQuantOptions out = turboquant_mse(bits, seed);
    out.sketch = true;
    return out;
}

std::unique_ptr<Reader> turboquant_reader(const TurboQuantOptions& options) {
    const int least = options.sketch ? 2 : 1;
    if (options.bits < least || options.bits > 8)
        throw Error(ErrorCode::bad_option, "reader \"turboquant\": found " + std::to_string(options.bits) +
                                               " bits, expected " + std::to_string(least) + " to 8");
    return std::make_unique<TurboQuantReader>(options);
}

} // namespace kvproof
