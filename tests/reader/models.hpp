#pragma once
// Small models whose keys and values are what their projections make of inputs, for readers that look at a
// whole calibration capture.

#include "tests/reader/layers.hpp"

#include <map>
#include <numeric>

namespace kvproof::testing_support {

/// A capture in memory.
class MemoryCapture final : public CaptureSource {
public:
    std::vector<CaptureLayer> layers;
    std::map<std::string, Tensor> matrices; ///< "0.wk"
    std::optional<Rotary> encoding;

    [[nodiscard]] const CaptureShape& shape() const override { return layers.front().shape; }
    [[nodiscard]] const std::string& source() const override { return name_; }
    [[nodiscard]] CaptureLayer layer(int index) const override {
        return layers[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] std::optional<Tensor> matrix(int index, const std::string& name) const override {
        const auto at = matrices.find(std::to_string(index) + "." + name);
        if (at == matrices.end()) return std::nullopt;
        return at->second;
    }
    [[nodiscard]] std::optional<Rotary> rotary() const override { return encoding; }

private:
    std::string name_ = "memory";
};

inline Tensor product(const Tensor& a, const Tensor& b) {
    const std::size_t rows = a.shape[0];
    const std::size_t inner = a.shape[1];
    const std::size_t columns = b.shape[1];
    Tensor out{{rows, columns}, Vector(rows * columns)};
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < inner; ++k)
            for (std::size_t j = 0; j < columns; ++j)
                out.values[i * columns + j] += a.values[i * inner + k] * b.values[k * columns + j];
    return out;
}

struct ModelSizes {
    int layers = 2;
    int width = 16; ///< d_model
    Sizes layer;    ///< of each; d_h even
};

inline Tensor random_tensor(std::size_t rows, std::size_t columns, std::mt19937_64& next) {
    std::normal_distribution<double> normal;
    Tensor out{{rows, columns}, Vector(rows * columns)};
    for (double& x : out.values) x = normal(next);
    return out;
}

/// Inputs of correlated channels with an offset, as activations have; `text` changes them and not the
/// weights.
inline MemoryCapture random_model(const ModelSizes& sizes, std::uint64_t seed, std::uint64_t text = 0) {
    std::mt19937_64 weights(seed);
    std::mt19937_64 inputs(seed * 1000 + text + 1);
    std::normal_distribution<double> normal;
    MemoryCapture out;
    out.encoding = Rotary(seed % 2 == 0 ? RotaryPairs::half : RotaryPairs::interleaved, 100, sizes.layer.dim);
    const auto m = static_cast<std::size_t>(sizes.width);
    const auto d = static_cast<std::size_t>(sizes.layer.dim);
    const auto tokens = static_cast<std::size_t>(sizes.layer.tokens);
    const std::size_t scalars = static_cast<std::size_t>(sizes.layer.kv_heads) * d;
    for (int l = 0; l < sizes.layers; ++l) {
        const auto name = [l](const char* part) { return std::to_string(l) + "." + part; };
        Tensor mixing = random_tensor(m, m, weights);
        Tensor offset = random_tensor(1, m, weights);
        Tensor x = product(random_tensor(tokens, m, inputs), mixing);
        for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += 2 * offset.values[i % m];
        Tensor wk = random_tensor(m, scalars, weights);
        for (double& w : wk.values) w /= static_cast<double>(m);
        Tensor wv = random_tensor(m, scalars, weights);
        const Tensor keys = product(x, wk);
        const Tensor values = product(x, wv);
        CaptureLayer layer;
        layer.shape = {sizes.layers,         sizes.layer.query_heads,
                       sizes.layer.kv_heads, sizes.layer.dim,
                       sizes.layer.tokens,   std::min(sizes.layer.queries, sizes.layer.tokens)};
        layer.k.resize(scalars * tokens);
        layer.v.resize(scalars * tokens);
        for (std::size_t g = 0; g < scalars / d; ++g)
            for (std::size_t t = 0; t < tokens; ++t) {
                const std::size_t to = (g * tokens + t) * d;
                std::copy_n(keys.values.begin() + static_cast<std::ptrdiff_t>(t * scalars + g * d), d,
                            layer.k.begin() + static_cast<std::ptrdiff_t>(to));
                std::copy_n(values.values.begin() + static_cast<std::ptrdiff_t>(t * scalars + g * d), d,
                            layer.v.begin() + static_cast<std::ptrdiff_t>(to));
                out.encoding->turn(std::span(layer.k).subspan(to, d), static_cast<int>(t));
            }
        for (int i = 0; i < sizes.layer.query_heads * layer.shape.queries * sizes.layer.dim; ++i)
            layer.q.push_back(normal(inputs));
        out.layers.push_back(std::move(layer));
        out.matrices[name("x")] = std::move(x);
        out.matrices[name("wk")] = std::move(wk);
        out.matrices[name("wv")] = std::move(wv);
        out.matrices[name("wo")] =
            random_tensor(static_cast<std::size_t>(sizes.layer.query_heads) * d, m, weights);
    }
    return out;
}

inline std::vector<int> all_layers(const CaptureSource& capture) {
    std::vector<int> out(static_cast<std::size_t>(capture.shape().layers));
    std::iota(out.begin(), out.end(), 0);
    return out;
}

/// The reader of this name, shown the whole calibration.
inline std::unique_ptr<Reader> prepared(const std::string& name, const CaptureSource& calibration) {
    auto reader = make_reader(name, calibration.shape().layers);
    reader->prepare(calibration, all_layers(calibration));
    return reader;
}

/// A calibration capture of one layer, whatever its keys and values, with made-up projections of full rank.
inline MemoryCapture capture_of(const CaptureLayer& layer, double theta = 10000) {
    std::mt19937_64 next(1);
    const auto width = static_cast<std::size_t>(layer.shape.kv_heads * layer.shape.dim);
    const std::size_t model = width + 5;
    MemoryCapture out;
    out.layers = {layer};
    out.encoding = Rotary(RotaryPairs::half, theta, layer.shape.dim);
    out.matrices["0.x"] = random_tensor(static_cast<std::size_t>(layer.shape.tokens), model, next);
    out.matrices["0.wk"] = random_tensor(model, width, next);
    out.matrices["0.wv"] = random_tensor(model, width, next);
    out.matrices["0.wo"] =
        random_tensor(static_cast<std::size_t>(layer.shape.query_heads * layer.shape.dim), model, next);
    return out;
}

/// A layer stored by a reader that looks at its calibration as a whole, calibrated on `calibration`.
inline std::unique_ptr<StoredLayer> stored_with_source(Reader& reader, const CaptureLayer& layer,
                                                       const CaptureLayer& calibration,
                                                       bool rotation = true) {
    reader.prepare(capture_of(calibration), std::vector<int>{0});
    const auto d = static_cast<std::size_t>(layer.shape.dim);
    const ReaderSettings still{Transform::identity(d), Transform::identity(d), shipped_code()};
    return reader.encode({layer, &calibration, 0}, rotation ? settings_for(layer.shape.dim) : still);
}

/// The first tokens of a layer, its queries left out but for the last.
inline CaptureLayer first_tokens(const CaptureLayer& layer, int tokens) {
    CaptureLayer out;
    out.shape = layer.shape;
    out.shape.tokens = tokens;
    out.shape.queries = 1;
    for (int h = 0; h < layer.shape.query_heads; ++h) {
        const auto q = layer.query(h, layer.shape.queries - 1);
        out.q.insert(out.q.end(), q.begin(), q.end());
    }
    for (int g = 0; g < layer.shape.kv_heads; ++g)
        for (int j = 0; j < tokens; ++j) {
            const auto k = layer.key(g, j);
            const auto v = layer.value(g, j);
            out.k.insert(out.k.end(), k.begin(), k.end());
            out.v.insert(out.v.end(), v.begin(), v.end());
        }
    return out;
}

} // namespace kvproof::testing_support
