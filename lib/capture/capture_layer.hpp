#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kvproof {

/// The sizes of a capture, the same in all layers.
struct CaptureShape {
    int layers = 0;
    int query_heads = 0; ///< H; 0 where the file holds no queries
    int kv_heads = 0;    ///< G, a divisor of H
    int dim = 0;         ///< d_h
    int tokens = 0;      ///< T
    int queries = 0;     ///< Tq <= T, the last ones: query row i stands at position T - Tq + i

    /// Position of query row i; it sees the tokens 0 .. position(i).
    [[nodiscard]] int position(int row) const { return tokens - queries + row; }
    /// The KV head that query head h reads: contiguous groups.
    [[nodiscard]] int kv_head_of(int head) const { return head / (query_heads / kv_heads); }
};

/// Queries, keys and values of one attention layer as stored, row-major, after the rotary encoding.
struct CaptureLayer {
    CaptureShape shape;
    std::vector<double> q; ///< [H, Tq, d_h]
    std::vector<double> k; ///< [G, T, d_h]
    std::vector<double> v; ///< [G, T, d_h]

    [[nodiscard]] std::span<const double> query(int head, int row) const {
        return vector_at(q, head, shape.queries, row);
    }
    [[nodiscard]] std::span<const double> key(int kv_head, int token) const {
        return vector_at(k, kv_head, shape.tokens, token);
    }
    [[nodiscard]] std::span<const double> value(int kv_head, int token) const {
        return vector_at(v, kv_head, shape.tokens, token);
    }
    /// The queries [H, d_h] of one row.
    [[nodiscard]] std::vector<double> queries_at(int row) const {
        std::vector<double> out;
        for (int h = 0; h < shape.query_heads; ++h) {
            const auto one = query(h, row);
            out.insert(out.end(), one.begin(), one.end());
        }
        return out;
    }

private:
    [[nodiscard]] std::span<const double> vector_at(const std::vector<double>& all, int head, int rows,
                                                    int row) const {
        const auto d = static_cast<std::size_t>(shape.dim);
        return std::span(all).subspan((static_cast<std::size_t>(head) * rows + row) * d, d);
    }
};

} // namespace kvproof
