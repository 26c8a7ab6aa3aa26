#pragma once

#include "lib/capture/float_array.hpp"
#include "lib/record/mapped_file.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
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

private:
    [[nodiscard]] std::span<const double> vector_at(const std::vector<double>& all, int head, int rows,
                                                    int row) const {
        const auto d = static_cast<std::size_t>(shape.dim);
        return std::span(all).subspan((static_cast<std::size_t>(head) * rows + row) * d, d);
    }
};

/// A file of captured attention: safetensors with layers.{L}.q [H, Tq, d_h], .k and .v [G, T, d_h] of dtype
/// F16, BF16, F32 or F64, mapped; or one layer as NAME_q.npy, NAME_k.npy and NAME_v.npy, named by any of the
/// three. Causal: query row i stands at position T - Tq + i and sees the tokens up to it.
class Capture {
public:
    /// Checks everything, every number included, so that nothing can be refused half-way. Throws
    /// Error(file_not_readable), Error(bad_file_format), and Error(bad_capture) where the tensors are no
    /// attention. Each names the file, the tensor, what was found and what was expected.
    explicit Capture(const std::filesystem::path& path);

    [[nodiscard]] const CaptureShape& shape() const { return shape_; }
    /// The file's name as it was given.
    [[nodiscard]] const std::string& source() const { return source_; }
    /// The sha256 of the file's bytes; of three .npy files, that of their three hashes one after the other.
    [[nodiscard]] std::string hash() const;
    /// What the file is unusual in and what is done about it, one sentence each.
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
    /// Throws Error(bad_capture) where the file holds no queries: attention cannot be measured on it.
    void require_queries() const;
    [[nodiscard]] CaptureLayer layer(int index) const;
    /// One of x [T, d_model], wk and wv [d_model, G d_h], wo [H d_h, d_model]; nothing where the file has
    /// none.
    [[nodiscard]] std::optional<Tensor> matrix(int index, const std::string& name) const;

private:
    void open_safetensors(const std::filesystem::path& path);
    void open_npy(const std::filesystem::path& path);
    void check();
    void check_metadata() const;
    [[nodiscard]] const TensorView& required(int index, const std::string& name) const;

    std::string source_;
    std::vector<MappedFile> files_;
    Safetensors tensors_;        // views into the file
    std::vector<Tensor> arrays_; // q, k, v of a .npy capture
    CaptureShape shape_;
    std::vector<std::string> notes_;
};

} // namespace kvproof
