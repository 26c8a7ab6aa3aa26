#include "gpu/allocate/choose_depths.hpp"
#include "gpu/certificate/certificate_batch.hpp"
#include "gpu/certificate/gram.hpp"
#include "gpu/certificate/spectrum.hpp"
#include "gpu/device/runs/copies.hpp"
#include "gpu/device_runs.hpp"
#include "gpu/reader/reader_batch.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

namespace kvproof::gpu {

namespace {

template <class T>
std::span<const T> host(const T* at, std::size_t count) {
    return {at, count};
}

/// A layer's arrays on the device.
struct LayerCopy {
    explicit LayerCopy(const ReaderLayer& from)
        : channels(std::size_t{from.kv_heads} * from.dim),
          key_planes(host(from.key_planes, channels * from.depth * ReaderLayer::words(from.tokens))),
          value_planes(host(from.value_planes, std::size_t{from.kv_heads} * from.tokens * from.depth *
                                                   ReaderLayer::words(from.dim))),
          key_mean(host(from.key_mean, channels)), key_scale(host(from.key_scale, channels)),
          value_mean(host(from.value_mean, channels)), value_scale(host(from.value_scale, channels)),
          value_factor(host(from.value_factor, from.kv_heads)),
          centroids(host(from.centroids, (std::size_t{2} << from.depth) - 1)), layer(from) {
        layer.key_planes = key_planes.get();
        layer.value_planes = value_planes.get();
        layer.key_mean = key_mean.get();
        layer.key_scale = key_scale.get();
        layer.value_mean = value_mean.get();
        layer.value_scale = value_scale.get();
        layer.value_factor = value_factor.get();
        layer.centroids = centroids.get();
    }

    std::size_t channels;
    DeviceArray<std::uint32_t> key_planes, value_planes;
    DeviceArray<float> key_mean, key_scale, value_mean, value_scale, value_factor, centroids;
    ReaderLayer layer;
};

/// What calls write on the device, for up to all stored tokens.
struct CallRoom {
    explicit CallRoom(const ReaderLayer& layer)
        : queries(std::size_t{layer.query_heads} * layer.dim),
          key_weights(std::size_t{layer.kv_heads} * layer.dim),
          logits(std::size_t{layer.query_heads} * layer.tokens), attention(logits.size()),
          value_weights(std::size_t{layer.kv_heads} * layer.tokens),
          partial_outputs(queries.size() * ReaderCall::tiles(layer.tokens)), outputs(queries.size()),
          key_depths(key_weights.size()), value_depths(value_weights.size()), spent(2 * layer.kv_heads),
          scratch(std::max(key_weights.size(), value_weights.size())) {}

    [[nodiscard]] ReaderCall call(const ReaderLayer* layer, const ReaderQuestion& question) {
        return {.layer = layer,
                .tokens = question.tokens,
                .key_budget = question.key_budget,
                .value_budget = question.value_budget,
                .pool_per_head = question.pool_per_head,
                .queries = queries.get(),
                .key_weights = key_weights.get(),
                .key_depths = key_depths.get(),
                .logits = logits.get(),
                .attention = attention.get(),
                .value_weights = value_weights.get(),
                .value_depths = value_depths.get(),
                .partial_outputs = partial_outputs.get(),
                .outputs = outputs.get(),
                .spent = spent.get(),
                .scratch = scratch.get()};
    }

    DeviceArray<float> queries, key_weights, logits, attention, value_weights, partial_outputs, outputs;
    DeviceArray<std::uint8_t> key_depths, value_depths;
    DeviceArray<std::uint32_t> spent, scratch;
};

/// The full-precision side, and what certificates write.
struct CertificateRoom {
    CertificateRoom(const ReaderLayer& layer, const ExactVectors& exact, std::span<const double> distortions)
        : vectors(std::size_t{layer.kv_heads} * layer.dim * layer.tokens), keys(host(exact.keys, vectors)),
          values(host(exact.values, vectors)), distortion(distortions),
          squares(std::size_t{layer.kv_heads} * layer.tokens),
          key_squares(std::size_t{layer.kv_heads} * layer.dim), centre(key_squares.size()),
          partial(matrix_numbers(layer) * gram_chunks(layer.tokens)), gram(matrix_numbers(layer)),
          basis(std::size_t{gram_kinds} * layer.kv_heads * lanczos_basis(layer.dim)), shifted(gram.size()),
          tops(std::size_t{gram_kinds} * layer.kv_heads), heads(layer.query_heads) {}

    static std::size_t matrix_numbers(const ReaderLayer& layer) {
        return std::size_t{gram_kinds} * layer.kv_heads * layer.dim * layer.dim;
    }

    [[nodiscard]] CertificateCall call(const ReaderCall& answered) {
        return {.call = answered,
                .exact = {keys.get(), values.get()},
                .distortion = distortion.get(),
                .residual_squares = squares.get(),
                .key_squares = key_squares.get(),
                .centre = centre.get(),
                .partial = partial.get(),
                .gram = gram.get(),
                .basis = basis.get(),
                .shifted = shifted.get(),
                .tops = tops.get(),
                .heads = heads.get()};
    }

    std::size_t vectors;
    DeviceArray<float> keys, values;
    DeviceArray<double> distortion, squares, key_squares, centre, partial, gram, basis, shifted;
    DeviceArray<SpectrumTop> tops;
    DeviceArray<HeadCertificate> heads;
};

class Served {
public:
    Served(const ReaderLayer& from, const ExactVectors& exact, std::span<const double> distortions)
        : copy_(from), layer_(host(&copy_.layer, 1)), room_(from) {
        if (exact.keys != nullptr) certificates_.emplace(from, exact, distortions);
    }

    ReaderReply answer(const ReaderQuestion& question) {
        const ReaderLayer& shape = copy_.layer;
        const std::scoped_lock lock(one_at_a_time_);
        write_to(room_.queries, question.queries);
        const ReaderCall call = room_.call(layer_.get(), question);
        const DeviceArray<ReaderCall> calls(host(&call, 1));
        launch_reader({.calls = calls.get(),
                       .count = 1,
                       .kv_heads = shape.kv_heads,
                       .query_heads = shape.query_heads,
                       .tokens = question.tokens});
        ReaderReply out;
        const std::size_t visible = question.tokens;
        // pools that a call has not are 0
        out.spent.assign(room_.spent.size(), 0);
        for (std::size_t stage = 0; stage < 2; ++stage)
            for (std::size_t pool = 0; pool < (question.pool_per_head ? shape.kv_heads : 1); ++pool)
                copy_word(out.spent, stage * shape.kv_heads + pool);
        require_allocations(out);
        if (certificates_) {
            const CertificateCall certified = certificates_->call(call);
            const DeviceArray<CertificateCall> batch(host(&certified, 1));
            launch_certificate({.calls = batch.get(),
                                .count = 1,
                                .kv_heads = shape.kv_heads,
                                .query_heads = shape.query_heads,
                                .tokens = question.tokens,
                                .dim = shape.dim});
            read(certificates_->heads, shape.query_heads, out.certificates);
        }
        read(room_.key_depths, room_.key_depths.size(), out.key_depths);
        read(room_.value_depths, shape.kv_heads * visible, out.value_depths);
        read(room_.logits, shape.query_heads * visible, out.logits);
        read(room_.attention, shape.query_heads * visible, out.attention);
        read(room_.outputs, room_.outputs.size(), out.outputs);
        return out;
    }

private:
    template <class T>
    static void read(const DeviceArray<T>& array, std::size_t count, std::vector<T>& numbers) {
        numbers.resize(count);
        read_from(array, std::span(numbers));
    }
    void copy_word(std::vector<std::uint32_t>& spent, std::size_t at) const {
        require_cuda(cudaMemcpy(spent.data() + at, room_.spent.get() + at, sizeof(std::uint32_t),
                                cudaMemcpyDeviceToHost),
                     "memory");
    }

    LayerCopy copy_;
    DeviceArray<ReaderLayer> layer_;
    CallRoom room_;
    std::optional<CertificateRoom> certificates_;
    std::mutex one_at_a_time_;
};

} // namespace

AnswerCall serve_on_device(const ReaderLayer& layer, const ExactVectors& exact,
                           std::span<const double> distortions) {
    const auto served = std::make_shared<Served>(layer, exact, distortions);
    return [served](const ReaderQuestion& question) { return served->answer(question); };
}

} // namespace kvproof::gpu
