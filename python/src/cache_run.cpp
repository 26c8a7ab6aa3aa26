#include "python/src/cache_run.hpp"

#include "lib/error.hpp"

#include <numeric>

namespace kvproof::python {
namespace {

ReaderSettings settings_for(const CacheOptions& options, int dim, const Table& table) {
    const auto d = static_cast<std::size_t>(dim);
    const bool hadamard = options.transform == "hadamard";
    return {hadamard ? Transform::hadamard(d, options.seed, 0) : Transform::identity(d),
            hadamard ? Transform::hadamard(d, options.seed, 1) : Transform::identity(d), table.code,
            options.value_scale == "unit" ? ValueScale::unit : ValueScale::variance,
            options.pool == "layer" ? Pool::layer : Pool::head};
}

void require_same_model(const CaptureShape& found, const CaptureShape& expected) {
    const auto text = [](const CaptureShape& shape) {
        return std::to_string(shape.layers) + " layers, " + std::to_string(shape.kv_heads) +
               " KV heads, d_h = " + std::to_string(shape.dim);
    };
    if (found.layers != expected.layers || found.kv_heads != expected.kv_heads || found.dim != expected.dim)
        throw Error(ErrorCode::bad_capture, "calibration: found " + text(found) + ", expected " +
                                                text(expected) + " as in the cache");
}

} // namespace

CacheRun::CacheRun(const MemorySource& tested, const CaptureSource* calibration, const CacheOptions& options,
                   const Table& table)
    : tested_(tested), calibration_(calibration), settings_(settings_for(options, tested.shape().dim, table)),
      reader_(make_reader(options.reader, tested.shape().layers)) {
    if (calibration_ == nullptr) {
        if (reader_->needs_calibration())
            throw Error(ErrorCode::bad_option,
                        "calibration: found none, expected (keys, values) or \"self\", which " +
                            options.reader + " needs");
        return;
    }
    require_same_model(calibration_->shape(), tested_.shape());
    std::vector<int> all(static_cast<std::size_t>(shape().layers));
    std::iota(all.begin(), all.end(), 0);
    reader_->prepare(*calibration_, all);
}

KeptLayer CacheRun::layer(int index) const {
    KeptLayer out{tested_.layer(index), std::nullopt, index};
    if (calibration_ == &tested_)
        out.calibration = out.tested;
    else if (calibration_ != nullptr)
        out.calibration = calibration_->layer(index);
    return out;
}

} // namespace kvproof::python
