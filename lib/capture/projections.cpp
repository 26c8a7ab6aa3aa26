#include "lib/capture/projections.hpp"

#include "lib/error.hpp"

namespace kvproof {
namespace {

Tensor required(const CaptureSource& source, int layer, const std::string& name, const std::string& reader) {
    std::optional<Tensor> tensor = source.matrix(layer, name);
    if (!tensor)
        throw Error(ErrorCode::bad_capture,
                    source.source() + ": tensor \"layers." + std::to_string(layer) + "." + name +
                        "\": found nothing of this name, expected x, wk, wv and wo for reader \"" + reader +
                        "\"");
    return std::move(*tensor);
}

} // namespace

Projections required_projections(const CaptureSource& source, int layer, const std::string& reader) {
    const CaptureShape& shape = source.shape();
    Projections out{required(source, layer, "x", reader), required(source, layer, "wk", reader),
                    required(source, layer, "wv", reader), required(source, layer, "wo", reader)};
    const std::uint64_t width = out.x.shape[1];
    const auto side = [](int heads, int dim) {
        return static_cast<std::uint64_t>(heads) * static_cast<std::uint64_t>(dim);
    };
    const Shape kv = {width, side(shape.kv_heads, shape.dim)};
    const auto require = [&](const Tensor& tensor, const Shape& expected, const char* name) {
        if (tensor.shape != expected)
            throw Error(ErrorCode::bad_capture, source.source() + ": tensor \"layers." +
                                                    std::to_string(layer) + "." + name + "\": found shape " +
                                                    shape_text(tensor.shape) + ", expected " +
                                                    shape_text(expected));
    };
    require(out.x, {static_cast<std::uint64_t>(shape.tokens), width}, "x");
    require(out.wk, kv, "wk");
    require(out.wv, kv, "wv");
    require(out.wo, {side(shape.query_heads, shape.dim), width}, "wo");
    return out;
}

Rotary required_rotary(const CaptureSource& source, const std::string& reader) {
    std::optional<Rotary> rotary = source.rotary();
    if (!rotary)
        throw Error(ErrorCode::bad_capture,
                    source.source() +
                        ": __metadata__: found no rope_style and rope_theta, expected "
                        "them for reader \"" +
                        reader + "\", which codes keys before the rotary encoding");
    return std::move(*rotary);
}

} // namespace kvproof
