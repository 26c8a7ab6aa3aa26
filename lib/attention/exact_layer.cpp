#include "lib/attention/exact_layer.hpp"

#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"
#include "lib/portable/instructions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kvproof {
namespace {

/// [G, T, d] to [G, d, T].
std::vector<double> by_channel(const std::vector<double>& rows, std::size_t heads, std::size_t tokens,
                               std::size_t d) {
    std::vector<double> out(rows.size());
    for (std::size_t g = 0; g < heads; ++g)
        for (std::size_t j = 0; j < tokens; ++j)
            for (std::size_t c = 0; c < d; ++c)
                out[(g * d + c) * tokens + j] = rows[(g * tokens + j) * d + c];
    return out;
}

std::vector<double> norms_of_rows(const std::vector<double>& rows, std::size_t d) {
    std::vector<double> out;
    for (std::size_t at = 0; at < rows.size(); at += d) out.push_back(norm_up(rows.data() + at, d));
    return out;
}

/// squares = (squares + lost) grown, and the roots of that.
struct Grow {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(double* __restrict__ squares, double* __restrict__ norms,
                                                  std::size_t count, double lost, double grown) {
        for (std::size_t j = 0; j < count; ++j) {
            const double square = (squares[j] + lost) * grown;
            squares[j] = square;
            norms[j] = std::sqrt(square) * (1 + 0x1p-50);
        }
    }
};

} // namespace

// A computed square has at most d + 2 roundings, and two from the subtraction; d squares lose at most 2^-1074
// each. The factors 1 + 2^-50 cover the roundings here.
RowNorms row_norms_up(const double* rows, const double* centre, std::size_t count, std::size_t d) {
    RowNorms out{std::vector<double>(count), std::vector<double>(count)};
    squared_distances(rows, centre, count, d, out.squares.data());
    const double lost = static_cast<double>(d) * 0x1p-1070;
    const double grown = mul_up(div_up(1, sub_down(1, gamma_up(d + 6))), 1 + 0x1p-50);
    // what is the centre itself loses nothing, and must stay at distance 0: A = 0 is told from A > 0
    std::vector<std::size_t> still;
    for (std::size_t j = 0; j < count; ++j)
        if (out.squares[j] == 0 && std::equal(rows + j * d, rows + (j + 1) * d, centre)) still.push_back(j);
    run_kernel<Grow>(best_instructions(), out.squares.data(), out.norms.data(), count, lost, grown);
    for (const std::size_t j : still) out.squares[j] = out.norms[j] = 0;
    return out;
}

double transform_error(const Transform& transform) {
    if (transform.is_identity() || transform.dimension() == 1) return 0;
    return gamma_up(static_cast<std::uint64_t>(std::bit_width(transform.dimension() - 1)) + 3);
}

ExactLayer::ExactLayer(const CaptureLayer& layer, const Transform& key_transform,
                       const Transform& value_transform)
    : shape(layer.shape), raw_values(layer.v), values(layer.v), key_error(transform_error(key_transform)),
      value_error(transform_error(value_transform)) {
    const auto d = static_cast<std::size_t>(shape.dim);
    const auto tokens = static_cast<std::size_t>(shape.tokens);
    const auto heads = static_cast<std::size_t>(shape.kv_heads);
    raw_keys = by_channel(layer.k, heads, tokens, d);
    std::vector<double> rows = layer.k;
    key_transform.apply_rows(rows);
    keys = by_channel(rows, heads, tokens, d);
    value_transform.apply_rows(values);
    key_norms = norms_of_rows(layer.k, d);
    value_norms = norms_of_rows(layer.v, d);
}

} // namespace kvproof
