#pragma once

#include "lib/codec/transform.hpp"
#include "lib/reader/head_vectors.hpp"
#include "lib/reader/reader.hpp"

#include <cstdint>

namespace kvproof {

struct SparqOptions {
    int channels = 1; ///< r
    int selected = 1; ///< k
    int local = 0;    ///< how many of the k are the latest past tokens, whatever their scores
    /// What the unread tokens contribute: the mean of the values with the mass that they are thought to have.
    /// Off, the output is attention to the selected tokens alone: an ablation.
    bool mean_value = true;
};

/// Throws Error(bad_option), naming the reader, unless 1 <= r, 1 <= k and 0 <= local <= k.
void require_valid(const SparqOptions& options, const std::string& reader);

/// What a SparQ reader finds in its cache, and what reading it costs.
struct SparqCache {
    CaptureShape shape;
    Transform transform;              ///< in which channels are scored
    HeadVectors scored;               ///< keys, in transformed coordinates, as scoring sees them
    HeadVectors keys;                 ///< as they are read once selected, in the coordinates of the capture
    HeadVectors values;               ///< likewise
    HeadVectors means;                ///< of the captured values of the tokens up to this one
    std::uint64_t scoring_bits = 16;  ///< of a scalar that is scored
    std::uint64_t selected_bits = 16; ///< of a scalar of a selected token
    std::uint64_t call_overhead = 0;  ///< bits that a call loads beside the mean state
    std::uint64_t layer_overhead = 0; ///< bits that the layer keeps beside the mean state
};

/// Means of the values of tokens 0 .. j, for every j: prefix sums in double, tokens in order.
[[nodiscard]] HeadVectors running_means(const CaptureLayer& layer);

/// SparQ over whatever the cache holds. Per KV head: channels and tokens by sparq_selection.hpp, the scores
/// of tokens being approximate logits summed over the query heads. With alpha the mass of the selected tokens
/// in the softmax of a head's approximate logits of all tokens, its output is alpha times exact attention
/// over the selected tokens plus (1 - alpha) times the mean of all visible values, the current one's
/// included. `reader` names it in errors. Throws Error(bad_option) where r exceeds d_h.
[[nodiscard]] std::unique_ptr<StoredLayer> sparq_layer(SparqCache cache, const SparqOptions& options,
                                                       const std::string& reader);

} // namespace kvproof
