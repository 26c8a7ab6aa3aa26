#include "lib/reader/kivi.hpp"

#include "lib/codec/uniform_group.hpp"
#include "lib/error.hpp"
#include "lib/reader/head_vectors.hpp"
#include "lib/reader/whole_read_layer.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr int group_size = 32;
constexpr int residual = 128;

/// Tokens whose keys are codes at a call with so many tokens, and whose values are.
int quantised_keys(int tokens) {
    return tokens - ((tokens - 1) % residual + 1);
}
int quantised_values(int tokens) {
    return std::max(tokens - residual, 0);
}

class KiviLayer final : public WholeReadLayer {
public:
    KiviLayer(const CaptureLayer& layer, int bits)
        : WholeReadLayer(layer.shape), bits_(bits), keys_(layer.shape, layer.k),
          values_(layer.shape, layer.v), key_codes_(keys_), value_codes_(values_) {
        for (int g = 0; g < layer.shape.kv_heads; ++g) {
            quantise_keys(g);
            quantise_values(g);
        }
    }

    [[nodiscard]] std::uint64_t stored_bits(int tokens) const override {
        const CallBits bits = call_bits(tokens);
        return bits.payload + bits.overhead;
    }
    [[nodiscard]] std::uint64_t saturated() const override { return saturated_; }

private:
    /// Whole blocks only: what is left waits at full precision, whatever comes later.
    void quantise_keys(int g) {
        std::vector<double> group(group_size);
        for (int first = 0; first + group_size <= shape().tokens / residual * residual; first += group_size)
            for (std::size_t c = 0; c < dim(); ++c) {
                for (int i = 0; i < group_size; ++i)
                    group[static_cast<std::size_t>(i)] = keys_.at(g, first + i)[c];
                saturated_ += quantise_group(group, bits_, CodeRounding::half_even);
                for (int i = 0; i < group_size; ++i)
                    key_codes_.at(g, first + i)[c] = group[static_cast<std::size_t>(i)];
            }
    }
    void quantise_values(int g) {
        for (int j = 0; j < quantised_values(shape().tokens); ++j)
            for (std::size_t c = 0; c < dim(); c += group_size)
                saturated_ += quantise_group(
                    value_codes_.at(g, j).subspan(c, std::min<std::size_t>(group_size, dim() - c)), bits_,
                    CodeRounding::half_even);
    }

    [[nodiscard]] std::span<const double> key(int kv_head, int token, int tokens) const override {
        return (token < quantised_keys(tokens) ? key_codes_ : keys_).at(kv_head, token);
    }
    [[nodiscard]] std::span<const double> value(int kv_head, int token, int tokens) const override {
        return (token < quantised_values(tokens) ? value_codes_ : values_).at(kv_head, token);
    }
    [[nodiscard]] CallBits call_bits(int tokens) const override {
        constexpr std::uint64_t whole = 16;
        constexpr std::uint64_t scale_and_offset = 32;
        const auto t = static_cast<std::uint64_t>(tokens);
        const auto keys = static_cast<std::uint64_t>(quantised_keys(tokens));
        const auto values = static_cast<std::uint64_t>(quantised_values(tokens));
        const std::uint64_t key_groups = scalars() * (keys / group_size);
        const std::uint64_t value_groups = heads() * ((dim() + group_size - 1) / group_size) * values;
        const auto bits = static_cast<std::uint64_t>(bits_);
        return {scalars() * (bits * (keys + values) + whole * (2 * t - keys - values)),
                scale_and_offset * (key_groups + value_groups)};
    }

    int bits_;
    HeadVectors keys_;
    HeadVectors values_;
    HeadVectors key_codes_; // decoded
    HeadVectors value_codes_;
    std::uint64_t saturated_ = 0;
};

class KiviReader final : public Reader {
public:
    explicit KiviReader(int bits) : bits_(bits) {}
    [[nodiscard]] bool needs_calibration() const override { return false; }
    [[nodiscard]] std::unique_ptr<StoredLayer> encode(const LayerInput& input,
                                                      const ReaderSettings&) const override {
        return std::make_unique<KiviLayer>(input.layer, bits_);
    }

private:
    int bits_;
};

} // namespace

std::unique_ptr<Reader> kivi_reader(int bits) {
    if (bits != 2 && bits != 4)
        throw Error(ErrorCode::bad_option,
                    "reader \"kivi\": found " + std::to_string(bits) + " bits, expected 2 or 4");
    return std::make_unique<KiviReader>(bits);
}

} // namespace kvproof
