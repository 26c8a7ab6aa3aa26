#pragma once
// Many calls over one made-up layer on a device, with room for their certificates.

#include "gpu/certificate/certificate.hpp"
#include "gpu/certificate/certificate_batch.hpp"
#include "gpu/device/device_array.hpp"
#include "gpu/reader/reader_batch.hpp"
#include "tests/gpu/made_up_layer.hpp"

#include <algorithm>
#include <vector>

namespace kvproof::gpu {

/// So many copies of numbers, one behind the other.
template <class T>
DeviceArray<T> copies_of(const std::vector<T>& numbers, std::uint32_t count) {
    DeviceArray<T> out(numbers.size() * count);
    for (std::uint32_t i = 0; i < count; ++i)
        require_cuda(cudaMemcpy(out.get() + i * numbers.size(), numbers.data(), numbers.size() * sizeof(T),
                                cudaMemcpyHostToDevice),
                     "memory");
    return out;
}

/// Calls over copies of one layer, so that nothing large is read twice; call i over copy i mod `layers`.
class DeviceCalls {
public:
    DeviceCalls(const test::MadeUpLayer& input, std::uint32_t count, std::uint32_t layers, bool certificates)
        : shape_(input.layer), tokens_(input.tokens), count_(count), layers_(layers),
          key_planes_(copies_of(input.key_planes, layers)),
          value_planes_(copies_of(input.value_planes, layers)), key_mean_(copies_of(input.key_mean, 1)),
          key_scale_(copies_of(input.key_scale, 1)), value_mean_(copies_of(input.value_mean, 1)),
          value_scale_(copies_of(input.value_scale, 1)), value_factor_(copies_of(input.value_factor, 1)),
          centroids_(copies_of(input.centroids, 1)), queries_(copies_of(input.queries, 1)),
          keys_(copies_of(input.keys, certificates ? layers : 0)),
          values_(copies_of(input.values, certificates ? layers : 0)),
          distortion_(copies_of(std::vector<double>(most_depth + 1, 0.25), 1)),
          layer_(copies_of(placed(input), 1)), key_weights(count * channels()), logits(count * rows()),
          attention(count * rows()), value_weights(count * items()),
          partial_(count * outputs_of() * ReaderCall::tiles(tokens_)), outputs(count * outputs_of()),
          key_depths(count * channels()), value_depths(count * items()), spent(count * 2 * shape_.kv_heads),
          scratch_(count * std::max(channels(), items())), squares_(certificates ? count * items() : 0),
          key_squares_(certificates ? count * channels() : 0), centre_(key_squares_.size()),
          chunks_(gram(certificates) * gram_chunks(tokens_)), gram_(gram(certificates)),
          basis_(certificates ? count * gram_kinds * shape_.kv_heads * lanczos_basis(shape_.dim) : 0),
          shifted_(gram_.size()), tops(certificates ? count * gram_kinds * shape_.kv_heads : 0),
          heads(certificates ? count * shape_.query_heads : 0), calls_(copies_of(make_calls(input), 1)),
          certified_(copies_of(make_certified(input), certificates ? 1 : 0)) {}

    void read() const {
        launch_reader({.calls = calls_.get(),
                       .count = count_,
                       .kv_heads = shape_.kv_heads,
                       .query_heads = shape_.query_heads,
                       .tokens = tokens_});
    }
    void certify() const {
        launch_certificate({.calls = certified_.get(),
                            .count = count_,
                            .kv_heads = shape_.kv_heads,
                            .query_heads = shape_.query_heads,
                            .tokens = tokens_,
                            .dim = shape_.dim});
    }

private:
    [[nodiscard]] std::size_t channels() const { return std::size_t{shape_.kv_heads} * shape_.dim; }
    [[nodiscard]] std::size_t items() const { return std::size_t{shape_.kv_heads} * tokens_; }
    [[nodiscard]] std::size_t rows() const { return std::size_t{shape_.query_heads} * tokens_; }
    [[nodiscard]] std::size_t outputs_of() const { return std::size_t{shape_.query_heads} * shape_.dim; }
    [[nodiscard]] std::size_t gram(bool certificates) const {
        return certificates ? count_ * std::size_t{gram_kinds} * shape_.kv_heads * shape_.dim * shape_.dim
                            : 0;
    }
    [[nodiscard]] std::vector<ReaderLayer> placed(const test::MadeUpLayer& input) const {
        std::vector<ReaderLayer> all(layers_, shape_);
        for (std::uint32_t i = 0; i < layers_; ++i) place(all[i], input, i);
        return all;
    }
    void place(ReaderLayer& out, const test::MadeUpLayer& input, std::uint32_t i) const {
        out.key_planes = key_planes_.get() + i * input.key_planes.size();
        out.value_planes = value_planes_.get() + i * input.value_planes.size();
        out.key_mean = key_mean_.get();
        out.key_scale = key_scale_.get();
        out.value_mean = value_mean_.get();
        out.value_scale = value_scale_.get();
        out.value_factor = value_factor_.get();
        out.centroids = centroids_.get();
    }
    [[nodiscard]] std::vector<ReaderCall> make_calls(const test::MadeUpLayer& input) {
        std::vector<ReaderCall> out(count_);
        for (std::size_t i = 0; i < count_; ++i) {
            input.budgets(out[i]);
            out[i].layer = layer_.get() + i % layers_;
            out[i].tokens = tokens_;
            out[i].queries = queries_.get();
            out[i].key_weights = key_weights.get() + i * channels();
            out[i].key_depths = key_depths.get() + i * channels();
            out[i].logits = logits.get() + i * rows();
            out[i].attention = attention.get() + i * rows();
            out[i].value_weights = value_weights.get() + i * items();
            out[i].value_depths = value_depths.get() + i * items();
            out[i].partial_outputs = partial_.get() + i * outputs_of() * ReaderCall::tiles(tokens_);
            out[i].outputs = outputs.get() + i * outputs_of();
            out[i].spent = spent.get() + i * 2 * shape_.kv_heads;
            out[i].scratch = scratch_.get() + i * std::max(channels(), items());
        }
        host_calls_ = out;
        return out;
    }
    [[nodiscard]] std::vector<CertificateCall> make_certified(const test::MadeUpLayer& input) {
        std::vector<CertificateCall> out(count_);
        const std::size_t matrices = std::size_t{gram_kinds} * shape_.kv_heads;
        const std::size_t square = std::size_t{shape_.dim} * shape_.dim;
        for (std::size_t i = 0; i < count_; ++i)
            out[i] = {.call = host_calls_[i],
                      .exact = {keys_.get() + i % layers_ * input.keys.size(),
                                values_.get() + i % layers_ * input.values.size()},
                      .distortion = distortion_.get(),
                      .residual_squares = squares_.get() + i * items(),
                      .key_squares = key_squares_.get() + i * channels(),
                      .centre = centre_.get() + i * channels(),
                      .partial = chunks_.get() + i * matrices * square * gram_chunks(tokens_),
                      .gram = gram_.get() + i * matrices * square,
                      .basis = basis_.get() + i * matrices * lanczos_basis(shape_.dim),
                      .shifted = shifted_.get() + i * matrices * square,
                      .tops = tops.get() + i * matrices,
                      .heads = heads.get() + i * shape_.query_heads};
        return out;
    }

    ReaderLayer shape_;
    std::uint32_t tokens_;
    std::uint32_t count_;
    std::uint32_t layers_;
    DeviceArray<std::uint32_t> key_planes_, value_planes_;
    DeviceArray<float> key_mean_, key_scale_, value_mean_, value_scale_, value_factor_, centroids_, queries_,
        keys_, values_;
    DeviceArray<double> distortion_;
    DeviceArray<ReaderLayer> layer_;

public:
    DeviceArray<float> key_weights, logits, attention, value_weights;

private:
    DeviceArray<float> partial_;

public:
    DeviceArray<float> outputs;
    DeviceArray<std::uint8_t> key_depths, value_depths;
    DeviceArray<std::uint32_t> spent;

private:
    DeviceArray<std::uint32_t> scratch_;
    DeviceArray<double> squares_, key_squares_, centre_, chunks_, gram_, basis_, shifted_;

public:
    DeviceArray<SpectrumTop> tops;
    DeviceArray<HeadCertificate> heads;

private:
    std::vector<ReaderCall> host_calls_;
    DeviceArray<ReaderCall> calls_;
    DeviceArray<CertificateCall> certified_;
};

} // namespace kvproof::gpu
