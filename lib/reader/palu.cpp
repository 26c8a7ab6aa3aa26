#include "lib/reader/palu.hpp"

#include "lib/capture/projections.hpp"
#include "lib/error.hpp"
#include "lib/reader/calibration_layer.hpp"
#include "lib/reader/palu_code.hpp"
#include "lib/reader/rotated_keys.hpp"
#include "lib/reader/token_rows.hpp"
#include "lib/reader/windowed_layer.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr int rank_step = 32;

/// Columns first .. first + count - 1 of a row-major matrix.
std::vector<double> columns(const Tensor& matrix, std::size_t first, std::size_t count) {
    const std::size_t width = matrix.shape[1];
    std::vector<double> out;
    for (std::size_t at = first; at < matrix.values.size(); at += width)
        out.insert(out.end(), matrix.values.begin() + static_cast<std::ptrdiff_t>(at),
                   matrix.values.begin() + static_cast<std::ptrdiff_t>(at + count));
    return out;
}

/// What keys or values of all head groups need.
struct PaluPlan {
    std::size_t rank;
    int bits;
    Transform block;
};

/// Replaces the coded tokens of `vectors`; returns how many latents did not fit.
std::uint64_t code_vectors(HeadVectors& vectors, const CaptureShape& shape, const Tensor& x,
                           const Tensor& projection, const PaluPlan& plan) {
    const auto d = static_cast<std::size_t>(shape.dim);
    const int coded = TokenWindow{}.coded(shape.tokens);
    std::uint64_t saturated = 0;
    for (int head = 0; head < shape.kv_heads; head += palu_heads) {
        const int heads = std::min(palu_heads, shape.kv_heads - head);
        const std::size_t width = static_cast<std::size_t>(heads) * d;
        const std::vector<double> w = columns(projection, static_cast<std::size_t>(head) * d, width);
        const PaluCode code{whitened_svd(x.values, w, x.shape[1], width), plan.rank, plan.bits, plan.block};
        std::vector<double> rows = token_rows(vectors, head, heads, TokenWindow{}.first, coded);
        saturated += code.quantise(rows);
        put_token_rows(vectors, head, heads, TokenWindow{}.first, rows, d);
    }
    return saturated;
}

class PaluLayer final : public WindowedLayer {
public:
    PaluLayer(const CaptureLayer& layer, HeadVectors keys, HeadVectors values, const PaluPlan& plan,
              std::uint64_t saturated)
        : WindowedLayer(layer, std::move(keys), std::move(values)), rank_(plan.rank),
          bits_(static_cast<std::uint64_t>(plan.bits)), saturated_(saturated) {}
    [[nodiscard]] std::uint64_t saturated() const override { return saturated_; }

private:
    [[nodiscard]] CallBits call_bits(int tokens) const override {
        constexpr std::uint64_t fields = 2 * 16; // scale and offset
        const std::uint64_t groups = (heads() + palu_heads - 1) / palu_heads;
        const auto coded = static_cast<std::uint64_t>(TokenWindow{}.coded(tokens));
        return {whole_bits(tokens) + 2 * groups * rank_ * bits_ * coded, 2 * groups * fields * coded};
    }

    std::uint64_t rank_;
    std::uint64_t bits_;
    std::uint64_t saturated_;
};

class PaluReader final : public Reader {
public:
    PaluReader(int rank, int bits) : rank_(rank), bits_(bits) {}
    [[nodiscard]] bool needs_calibration() const override { return true; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings& settings) const override {
        (void)required_calibration(input, "palu");
        const CaptureShape& shape = input.layer.shape;
        const int rest = shape.kv_heads % palu_heads;
        const int width = (rest == 0 ? palu_heads : rest) * shape.dim;
        if (rank_ > width)
            throw Error(ErrorCode::bad_option, "reader \"palu\": found a rank of " + std::to_string(rank_) +
                                                   " for a head group of " + std::to_string(width) +
                                                   " channels, expected at most as many");
        const CaptureSource& source = required_source(input, "palu");
        const Projections projections = required_projections(source, input.index, "palu");
        const Rotary rotary = required_rotary(source, "palu");
        const auto rank = static_cast<std::size_t>(rank_);
        const PaluPlan plan{rank, bits_,
                            settings.keys.is_identity() ? Transform::identity(rank) : palu_block(rank)};
        HeadVectors keys(shape, input.layer.k);
        HeadVectors values(shape, input.layer.v);
        turn_keys(keys, shape, rotary, -1);
        const std::uint64_t saturated = code_vectors(keys, shape, projections.x, projections.wk, plan) +
                                        code_vectors(values, shape, projections.x, projections.wv, plan);
        turn_keys(keys, shape, rotary, 1);
        return std::make_unique<PaluLayer>(input.layer, std::move(keys), std::move(values), plan, saturated);
    }

private:
    int rank_;
    int bits_;
};

} // namespace

std::unique_ptr<Reader> palu_reader(int rank, int bits) {
    if (rank < rank_step || rank % rank_step != 0)
        throw Error(ErrorCode::bad_option, "reader \"palu\": found a rank of " + std::to_string(rank) +
                                               ", expected a multiple of 32");
    if (bits < 1 || bits > 8)
        throw Error(ErrorCode::bad_option,
                    "reader \"palu\": found " + std::to_string(bits) + " bits, expected 1 to 8");
    return std::make_unique<PaluReader>(rank, bits);
}

} // namespace kvproof
