#pragma once

#include "lib/capture/capture_source.hpp"

#include <vector>

namespace kvproof {

/// Which attention call: one query head at one position.
struct QueryRow {
    int layer = 0;
    int head = 0;
    int kv_head = 0;
    int query = 0;
    std::size_t tokens = 0; ///< that it sees
};

/// What a query head makes of values: block outputs v W_O, turned into d_h coordinates so that lengths stay.
struct HeadOutput {
    std::vector<double> projection; ///< C [d_h, d_h], a lower triangle with C C' = W_O W_O'
    std::vector<double> lengths;    ///< [d_h] ||W_Oc||^2
    std::vector<double> outputs;    ///< [T, d_h] v_i C, so that ||x C|| = ||x W_O||
};

/// One decode step (AATC III-B) without noise. AATC's proof has logits q'k, its Definition 1 divides by
/// sqrt(d_k): here `query` is q/sqrt(d_h), and whatever depends on q is taken of that.
struct DecodeStep {
    std::size_t tokens = 0;
    std::size_t dim = 0;           ///< d_h
    std::vector<double> query;     ///< [d_h]
    std::vector<double> logits;    ///< [tokens]
    std::vector<double> weights;   ///< [tokens] a_i
    std::vector<double> output;    ///< [d_h] o, by HeadOutput's coordinates
    std::vector<double> offsets;   ///< [tokens, d_h] u_i = v_i W_O - o
    std::vector<double> distances; ///< [tokens] ||u_i||^2
    double farthest = 0;           ///< D_o, the largest of them
};

/// All attention calls of a capture whose layers have an output projection.
class QueryRows {
public:
    /// Reads every layer of `capture`; W_O is that of the capture where it has one, else that of `weights`
    /// (null for none), which must be the same model's. Throws Error(bad_capture) where queries or a fitting
    /// W_O are missing.
    QueryRows(const CaptureSource& capture, const CaptureSource* weights);

    [[nodiscard]] const CaptureShape& shape() const { return shape_; }
    [[nodiscard]] const CaptureLayer& layer(int index) const {
        return layers_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const HeadOutput& head(const QueryRow& row) const {
        return heads_[static_cast<std::size_t>(row.layer) * static_cast<std::size_t>(shape_.query_heads) +
                      static_cast<std::size_t>(row.head)];
    }
    /// L H Tq.
    [[nodiscard]] std::size_t count() const;
    /// Number `index` in the order layer, head, query.
    [[nodiscard]] QueryRow row(std::size_t index) const;
    /// q/sqrt(d_h) of a row.
    [[nodiscard]] std::vector<double> query(const QueryRow& row) const;
    /// Overwrites `out`.
    void step(const QueryRow& row, DecodeStep& out) const;

private:
    CaptureShape shape_;
    std::vector<CaptureLayer> layers_;
    std::vector<HeadOutput> heads_; // [L, H]
};

/// sum_c x_c y_c with eight running sums, added by a fixed tree.
[[nodiscard]] double eightfold_dot(const double* x, const double* y, std::size_t n);

/// ||x C||^2 = ||x W_O||^2; x has d_h entries.
[[nodiscard]] double projected_square(const HeadOutput& head, const std::vector<double>& x);

/// x C.
[[nodiscard]] std::vector<double> projected(const HeadOutput& head, const std::vector<double>& x);

} // namespace kvproof
