#pragma once
// A layer with all that the two-stage reader needs, small and random, for the tests of the reader and of its
// certificates.

#include "lib/attention/two_stage.hpp"
#include "lib/codec/lloyd_tree.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace kvproof::test {

using Vector = std::vector<double>;

/// The shipped depth-8 code, made once.
inline const NestedCode& shipped_code() {
    static const NestedCode code = gaussian_code(8);
    return code;
}

/// What a random case is drawn from.
struct CaseSizes {
    int kv_heads = 2;
    int query_heads = 4;
    int dim = 8;
    int tokens = 12;
    int depth = 8;             ///< W
    bool hadamard = true;      ///< where the dimension has one
    double query_scale = 1;    ///< logits grow with it
    double vector_scale = 1;   ///< of keys and values
    double foreign = 0;        ///< 0: calibrated on itself; else on numbers of this other scale
    bool zero_channel = false; ///< the first channel is constant
};

/// One layer, its calibration, its transforms and the queries of its last position.
struct ReaderCase {
    CaptureLayer layer;
    Transform keys;
    Transform values;
    NestedCode code;
    Calibration calibration;
    Vector queries; ///< [H, d_h]

    [[nodiscard]] std::size_t dim() const { return static_cast<std::size_t>(layer.shape.dim); }
    [[nodiscard]] std::size_t tokens() const { return static_cast<std::size_t>(layer.shape.tokens); }
};

inline bool is_power_of_two(int d) {
    return (d & (d - 1)) == 0;
}

inline ReaderCase random_case(const CaseSizes& sizes, std::uint64_t seed) {
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    CaptureLayer layer;
    layer.shape = {.layers = 1,
                   .query_heads = sizes.query_heads,
                   .kv_heads = sizes.kv_heads,
                   .dim = sizes.dim,
                   .tokens = sizes.tokens,
                   .queries = 1};
    const auto fill = [&](Vector& all, int heads, int rows, double size, double offset) {
        for (int g = 0; g < heads; ++g) {
            Vector mean;
            Vector scale;
            for (int c = 0; c < sizes.dim; ++c) {
                mean.push_back(offset * normal(next));
                scale.push_back(std::exp(normal(next) / 2));
            }
            for (int j = 0; j < rows; ++j)
                for (std::size_t c = 0; c < mean.size(); ++c) {
                    const bool constant = sizes.zero_channel && c == 0 && offset != 0;
                    const double noise = normal(next);
                    all.push_back(size * (mean[c] + (constant ? 0 : scale[c] * noise)));
                }
        }
    };
    fill(layer.q, sizes.query_heads, 1, sizes.query_scale, 0);
    fill(layer.k, sizes.kv_heads, sizes.tokens, sizes.vector_scale, 1);
    fill(layer.v, sizes.kv_heads, sizes.tokens, sizes.vector_scale, .5);
    const auto d = static_cast<std::size_t>(sizes.dim);
    const bool turn = sizes.hadamard && is_power_of_two(sizes.dim);
    const Transform keys = turn ? Transform::hadamard(d, seed, 0) : Transform::identity(d);
    const Transform values = turn ? Transform::hadamard(d, seed, 1) : Transform::identity(d);
    Calibration calibration = calibrate(layer, keys, values);
    if (sizes.foreign != 0)
        for (ChannelStatistics* const part : {&calibration.keys, &calibration.values})
            for (double& scale : part->scale) scale *= sizes.foreign;
    Vector queries = layer.q;
    return {std::move(layer),  keys, values, cut(shipped_code(), sizes.depth), std::move(calibration),
            std::move(queries)};
}

/// A case with everything that stands between it and an answer; not to be moved.
struct Answered {
    Answered(const ReaderCase& input, std::unique_ptr<DepthPolicy> choice,
             ValueScale scale = ValueScale::unit)
        : encoded(input.layer, input.calibration, input.keys, input.values, input.code),
          policy(std::move(choice)), reader(encoded, *policy, input.keys, input.values, scale) {}
    Answered(const Answered&) = delete;
    Answered& operator=(const Answered&) = delete;

    TwoStageCall& run(const ReaderCase& input, int tokens = 0) {
        reader.run(input.queries, tokens == 0 ? input.layer.shape.tokens : tokens, call);
        return call;
    }

    EncodedLayer encoded;
    std::unique_ptr<DepthPolicy> policy;
    TwoStageReader reader;
    TwoStageCall call;
};

} // namespace kvproof::test
