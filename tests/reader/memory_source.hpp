#pragma once

#include "lib/capture/capture_source.hpp"
#include "tests/reader/layers.hpp"

namespace kvproof::testing_support {

/// A calibration capture of one layer with made-up projections of full rank.
class MemorySource final : public CaptureSource {
public:
    explicit MemorySource(const CaptureLayer& layer, std::uint64_t seed = 1, double theta = 10000)
        : layer_(layer), theta_(theta) {
        const auto width = static_cast<std::uint64_t>(layer.shape.kv_heads * layer.shape.dim);
        const std::uint64_t model = width + 5;
        std::mt19937_64 next(seed);
        x_ = random_matrix(static_cast<std::uint64_t>(layer.shape.tokens), model, next);
        wk_ = random_matrix(model, width, next);
        wv_ = random_matrix(model, width, next);
        wo_ =
            random_matrix(static_cast<std::uint64_t>(layer.shape.query_heads * layer.shape.dim), model, next);
    }

    [[nodiscard]] const CaptureShape& shape() const override { return layer_.shape; }
    [[nodiscard]] const std::string& source() const override { return name_; }
    [[nodiscard]] CaptureLayer layer(int) const override { return layer_; }
    [[nodiscard]] std::optional<Tensor> matrix(int, const std::string& name) const override {
        if (name == missing) return std::nullopt;
        return name == "x" ? x_ : name == "wk" ? wk_ : name == "wv" ? wv_ : wo_;
    }
    [[nodiscard]] std::optional<Rotary> rotary() const override {
        if (missing == "rotary") return std::nullopt;
        return Rotary(RotaryPairs::half, theta_, layer_.shape.dim);
    }

    std::string missing; ///< what this capture does not tell

private:
    static Tensor random_matrix(std::uint64_t rows, std::uint64_t columns, std::mt19937_64& next) {
        std::normal_distribution<double> normal;
        Tensor out{{rows, columns}, std::vector<double>(rows * columns)};
        for (double& entry : out.values) entry = normal(next);
        return out;
    }

    CaptureLayer layer_;
    double theta_;
    std::string name_ = "memory";
    Tensor x_;
    Tensor wk_;
    Tensor wv_;
    Tensor wo_;
};

/// A layer stored by a reader that looks at its calibration as a whole, calibrated on `calibration`.
inline std::unique_ptr<StoredLayer> stored_with_source(Reader& reader, const CaptureLayer& layer,
                                                       const CaptureLayer& calibration,
                                                       bool rotation = true) {
    const MemorySource source(calibration);
    reader.prepare(source, std::vector<int>{0});
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
