#pragma once

#include "lib/capture/capture_source.hpp"
#include "lib/codec/nested_code.hpp"
#include "lib/codec/transform.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// How value weights of different KV heads compare (ReadKV 3.2): s_g = 1, or s_g = sum_c (sigma^V_{g,c})^2.
enum class ValueScale { unit, variance };
/// Whether a budget is shared by all KV heads of a layer, or each has its own.
enum class Pool { layer, head };

/// What every reader of one run shares.
struct ReaderSettings {
    Transform keys;   ///< U_K, for keys and queries
    Transform values; ///< U_V
    NestedCode code;  ///< the nested Gaussian code, to depth 8
    ValueScale value_scale = ValueScale::unit;
    Pool pool = Pool::layer;
};

/// One layer to encode. Its keys and values are the cache; an encoder does not look at its queries.
struct LayerInput {
    const CaptureLayer& layer;
    const CaptureLayer* calibration = nullptr; ///< the same layer on another text; null where none was given
    int index = 0;                             ///< of the layer, from 0
};

/// One layer to encode, with what LayerInput refers to.
struct KeptLayer {
    CaptureLayer tested;
    std::optional<CaptureLayer> calibration;
    int index = 0;
    /// Refers to this, which must outlive it.
    [[nodiscard]] LayerInput input() const { return {tested, calibration ? &*calibration : nullptr, index}; }
};

/// What one attention call returns and costs.
struct Answer {
    std::vector<double> outputs; ///< [H, d_h], in the coordinates of the capture
    /// What the call read of the cache: code bits, and 16 a scalar that is kept whole (residual windows too).
    /// A bit that serves several query heads counts once.
    std::uint64_t payload_bits = 0;
    /// What else it read: norms, scales, offsets, indices, means, and the calibration and tables it loads.
    std::uint64_t overhead_bits = 0;
    [[nodiscard]] std::uint64_t bits() const { return payload_bits + overhead_bits; }
};

/// A layer's cache as a reader keeps it. Appending tokens one by one and encoding all at once are the same
/// thing: what a call at `tokens` tokens reads depends on those tokens only.
class StoredLayer {
public:
    StoredLayer() = default;
    StoredLayer(const StoredLayer&) = delete;
    StoredLayer& operator=(const StoredLayer&) = delete;
    virtual ~StoredLayer() = default;

    /// Attention of the H queries [H, d_h] of one position to the first `tokens` tokens, logits
    /// q.k/sqrt(d_h). Safe to call from several threads.
    [[nodiscard]] virtual Answer answer(std::span<const double> queries, int tokens) const = 0;
    /// Bits kept for `tokens` tokens, with the layer's own calibration and without what the model keeps once.
    [[nodiscard]] virtual std::uint64_t stored_bits(int tokens) const = 0;
    /// How many numbers of the whole layer did not fit a 16-bit field and were kept as +-65504.
    [[nodiscard]] virtual std::uint64_t saturated() const { return 0; }
};

/// A system of the papers (accounting.md's table; docs/readers.md): it encodes a layer's cache, answers
/// queries from what it stored, and counts the bits that it touches.
class Reader {
public:
    Reader() = default;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    virtual ~Reader() = default;

    [[nodiscard]] virtual bool needs_calibration() const = 0;
    /// Looks once at the whole calibration capture, before any layer is encoded. `layers`, ascending, are
    /// those of the model that it codes: a budget that layers share is shared by them. Most readers learn
    /// layer by layer and do nothing here. Throws Error(bad_capture) where the capture lacks what the reader
    /// needs.
    virtual void prepare(const CaptureSource& /*calibration*/, std::span<const int> /*layers*/) {}
    /// Bits that the model keeps once, whatever its layers: codebook tables.
    [[nodiscard]] virtual std::uint64_t shared_bits() const { return 0; }
    /// Throws Error where the layer cannot be encoded so (a dimension that has no Hadamard matrix, a missing
    /// calibration).
    [[nodiscard]] virtual std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                              const ReaderSettings& settings) const = 0;
};

/// The reader of this name (`kvproof compare --help` lists them), for a model of so many layers: names are
/// dense, readkv:W,R and so on, and any of them with +protect, which keeps the first two and the last two
/// layers dense. Throws Error(bad_option) that names what was found and what was expected.
[[nodiscard]] std::unique_ptr<Reader> make_reader(std::string_view name, int layers);

/// The names that compare runs when none are given: SparQ scores a quarter of the channels, PALU keeps
/// usual_palu_rank.
[[nodiscard]] std::vector<std::string> default_readers(const CaptureShape& shape);

} // namespace kvproof
