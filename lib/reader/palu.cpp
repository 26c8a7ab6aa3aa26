#include "lib/reader/palu.hpp"

#include "lib/capture/projections.hpp"
#include "lib/error.hpp"
#include "lib/reader/palu_code.hpp"
#include "lib/reader/prepared_layer.hpp"
#include "lib/reader/projection_factors.hpp"
#include "lib/reader/rotated_keys.hpp"
#include "lib/reader/windowed_layer.hpp"

#include <algorithm>
#include <map>

namespace kvproof {
namespace {

constexpr int rank_step = 32;

/// The heads first .. first + count - 1 share a projection.
struct HeadGroup {
    int first;
    int count;
};

std::vector<HeadGroup> head_groups(const CaptureShape& shape) {
    std::vector<HeadGroup> out;
    for (int first = 0; first < shape.kv_heads; first += palu_heads)
        out.push_back({first, std::min(palu_heads, shape.kv_heads - first)});
    return out;
}

/// The factors of each head group of a projection.
std::vector<WhitenedSvd> factors_of(const CaptureShape& shape, const InputRoot& root,
                                    const Tensor& projection) {
    std::vector<WhitenedSvd> out;
    const auto d = static_cast<std::size_t>(shape.dim);
    for (const HeadGroup& group : head_groups(shape)) {
        const std::size_t width = static_cast<std::size_t>(group.count) * d;
        out.push_back(projection_factors(root, projection, static_cast<std::size_t>(group.first) * d, width));
    }
    return out;
}

/// What the calibration decided for a layer.
struct LayerFactors {
    CaptureShape shape;
    std::vector<WhitenedSvd> keys; // of head groups
    std::vector<WhitenedSvd> values;
};

struct PaluPlan {
    std::size_t rank;
    int bits;
    Transform block;
};

/// Replaces the coded tokens of `vectors`; returns how many latents did not fit.
std::uint64_t code_vectors(HeadVectors& vectors, const CaptureShape& shape,
                           const std::vector<WhitenedSvd>& factors, const PaluPlan& plan) {
    const auto d = static_cast<std::size_t>(shape.dim);
    const TokenWindow window;
    std::uint64_t saturated = 0;
    std::size_t at = 0;
    for (const HeadGroup& group : head_groups(shape)) {
        const PaluCode code{factors[at++], plan.rank, plan.bits, plan.block};
        std::vector<double> rows =
            token_rows(vectors, group.first, group.count, window.first, window.coded(shape.tokens));
        saturated += code.quantise(rows);
        put_token_rows(vectors, group.first, group.count, window.first, rows, d);
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
        constexpr std::uint64_t fields = std::uint64_t{2} * 16; // scale and offset
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
    void prepare(const CaptureSource& calibration, std::span<const int> layers) override {
        const CaptureShape& shape = calibration.shape();
        const int width = head_groups(shape).back().count * shape.dim;
        if (rank_ > width)
            throw Error(ErrorCode::bad_capture, calibration.source() + ": found a head group of " +
                                                    std::to_string(width) + " channels, expected at least " +
                                                    std::to_string(rank_) + ", the rank of reader \"palu\"");
        rotary_ = required_rotary(calibration, "palu");
        factors_.clear();
        for (const int index : layers) {
            const Projections projections = required_projections(calibration, index, "palu");
            const InputRoot root = input_root(projections.x.values, projections.x.shape[1]);
            factors_[index] = {shape, factors_of(shape, root, projections.wk),
                               factors_of(shape, root, projections.wv)};
        }
    }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings& settings) const override {
        const LayerFactors& factors = prepared_layer(factors_, input, "palu");
        const CaptureShape& shape = input.layer.shape;
        const auto rank = static_cast<std::size_t>(rank_);
        const PaluPlan plan{rank, bits_,
                            settings.keys.is_identity() ? Transform::identity(rank) : palu_block(rank)};
        HeadVectors keys(shape, input.layer.k);
        HeadVectors values(shape, input.layer.v);
        turn_keys(keys, shape, *rotary_, -1);
        const std::uint64_t saturated =
            code_vectors(keys, shape, factors.keys, plan) + code_vectors(values, shape, factors.values, plan);
        turn_keys(keys, shape, *rotary_, 1);
        return std::make_unique<PaluLayer>(input.layer, std::move(keys), std::move(values), plan, saturated);
    }

private:
    int rank_;
    int bits_;
    std::optional<Rotary> rotary_;
    std::map<int, LayerFactors> factors_;
};

} // namespace

int usual_palu_rank(const CaptureShape& shape) {
    const int width = head_groups(shape).back().count * shape.dim;
    return std::max(rank_step, (7 * width + 5 * rank_step - 1) / (10 * rank_step) * rank_step);
}

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
