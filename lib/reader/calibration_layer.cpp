#include "lib/reader/calibration_layer.hpp"

#include "lib/error.hpp"

namespace kvproof {
namespace {

std::string sizes(const CaptureShape& shape) {
    return std::to_string(shape.kv_heads) + " KV heads of dimension " + std::to_string(shape.dim);
}

} // namespace

void require_same_heads(const CaptureShape& calibration, const CaptureShape& cache,
                        const std::string& reader) {
    if (calibration.kv_heads != cache.kv_heads || calibration.dim != cache.dim)
        throw Error(ErrorCode::bad_option, "reader \"" + reader + "\": found a calibration of " +
                                               sizes(calibration) + ", expected " + sizes(cache));
}

const CaptureLayer& required_calibration(const LayerInput& input, const std::string& reader) {
    if (input.calibration == nullptr)
        throw Error(ErrorCode::bad_option, "reader \"" + reader +
                                               "\": found no calibration, expected --calibration CAPTURE or "
                                               "--calibration self");
    require_same_heads(input.calibration->shape, input.layer.shape, reader);
    return *input.calibration;
}

std::uint64_t calibration_bits(const CaptureShape& shape) {
    constexpr std::uint64_t half = 16;
    return 4 * half * static_cast<std::uint64_t>(shape.kv_heads) * static_cast<std::uint64_t>(shape.dim);
}

} // namespace kvproof
