#pragma once

#include "lib/codec/nested_code.hpp"
#include "lib/reader/dense.hpp"
#include "lib/reader/kivi.hpp"
#include "lib/reader/kvquant.hpp"
#include "lib/reader/lloyd2.hpp"
#include "lib/reader/sparq.hpp"
#include "lib/reader/turboquant.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace kvproof::testing_support {

using Vector = std::vector<double>;

/// The deployed code, made once.
inline const NestedCode& shipped_code() {
    static const NestedCode code = gaussian_code(8);
    return code;
}

inline bool is_power_of_two(int d) {
    return (d & (d - 1)) == 0;
}

/// Hadamard transforms with the signs of seed 0, or the identity where there is none.
inline ReaderSettings settings_for(int dim) {
    const auto d = static_cast<std::size_t>(dim);
    if (!is_power_of_two(dim)) return {Transform::identity(d), Transform::identity(d), shipped_code()};
    return {Transform::hadamard(d, 0, 0), Transform::hadamard(d, 0, 1), shipped_code()};
}

struct Sizes {
    int kv_heads = 2;
    int query_heads = 4;
    int dim = 8;
    int tokens = 20;
    int queries = 4;
};

/// Correlated normal numbers: channels with means and scales of their own, as keys have.
inline CaptureLayer random_layer(const Sizes& sizes, std::uint64_t seed) {
    std::mt19937_64 next(seed);
    std::normal_distribution<double> normal;
    CaptureLayer out;
    out.shape = {.layers = 1,
                 .query_heads = sizes.query_heads,
                 .kv_heads = sizes.kv_heads,
                 .dim = sizes.dim,
                 .tokens = sizes.tokens,
                 .queries = std::min(sizes.queries, sizes.tokens)};
    const auto fill = [&](std::vector<double>& all, int heads, int rows, double offset) {
        for (int g = 0; g < heads; ++g) {
            Vector mean(static_cast<std::size_t>(sizes.dim));
            Vector scale(mean.size());
            for (double& m : mean) m = offset * normal(next);
            for (double& s : scale) s = std::exp(normal(next) / 2);
            for (int j = 0; j < rows; ++j)
                for (std::size_t c = 0; c < mean.size(); ++c)
                    all.push_back(mean[c] + scale[c] * normal(next));
        }
    };
    fill(out.q, sizes.query_heads, out.shape.queries, 0);
    fill(out.k, sizes.kv_heads, sizes.tokens, 1);
    fill(out.v, sizes.kv_heads, sizes.tokens, .5);
    return out;
}

/// Overwrites a key or value.
inline void set_vector(std::vector<double>& all, const CaptureShape& shape, int kv_head, int token,
                       const Vector& x) {
    const std::size_t at = (static_cast<std::size_t>(kv_head) * shape.tokens + token) * shape.dim;
    std::copy(x.begin(), x.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
}

/// A layer stored by a reader, calibrated on itself unless another is given.
inline std::unique_ptr<StoredLayer> stored(const Reader& reader, const CaptureLayer& layer,
                                           const CaptureLayer* calibration = nullptr, int index = 0) {
    return reader.encode({layer, calibration != nullptr ? calibration : &layer, index},
                         settings_for(layer.shape.dim));
}

/// Every reader of these files that a layer of this dimension can have.
struct NamedReader {
    std::string name;
    std::shared_ptr<Reader> reader;
};

inline std::vector<NamedReader> baseline_readers(int dim) {
    std::vector<NamedReader> out;
    out.push_back({"dense", dense_reader()});
    out.push_back({"kivi:2", kivi_reader(2)});
    out.push_back({"kivi:4", kivi_reader(4)});
    out.push_back({"turboquant", turboquant_reader()});
    if (dim >= 2) {
        out.push_back({"turboquant mse", turboquant_reader(turboquant_mse(3, 1))});
        out.push_back({"turboquant prod", turboquant_reader(turboquant_prod(3, 1))});
    }
    out.push_back({"lloyd2", lloyd2_reader()});
    const int r = (dim + 1) / 2;
    out.push_back({"sparq", sparq_reader({.channels = r, .selected = 3})});
    out.push_back({"sparq local", sparq_reader({.channels = r, .selected = 3, .local = 2})});
    out.push_back({"sparq-nested", sparq_nested_reader({.channels = r, .selected = 3})});
    out.push_back({"kvquant:2", kvquant_reader(2)});
    out.push_back({"kvquant:3", kvquant_reader(3)});
    return out;
}

} // namespace kvproof::testing_support
