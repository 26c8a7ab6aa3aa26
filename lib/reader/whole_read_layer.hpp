#pragma once

#include "lib/reader/reader.hpp"

#include <cstdint>
#include <span>

namespace kvproof {

/// The bits of one call, as in Answer.
struct CallBits {
    std::uint64_t payload = 0;
    std::uint64_t overhead = 0;
};

/// Throws Error(internal) unless the call gives H queries of d_h entries and 1 <= tokens <= T: a call that
/// sees no token has no answer.
void require_call(const CaptureShape& shape, std::span<const double> queries, int tokens);

/// A layer of a system whose every call reads all that it stores of the visible tokens: exact attention over
/// vectors that are decoded in whatever way, and bits that depend on the cache length alone.
class WholeReadLayer : public StoredLayer {
public:
    explicit WholeReadLayer(const CaptureShape& shape) : shape_(shape) {}
    [[nodiscard]] Answer answer(std::span<const double> queries, int tokens) const final;

protected:
    /// The vector of a token as a call with `tokens` tokens sees it, in the coordinates of the capture.
    [[nodiscard]] virtual std::span<const double> key(int kv_head, int token, int tokens) const = 0;
    [[nodiscard]] virtual std::span<const double> value(int kv_head, int token, int tokens) const = 0;
    [[nodiscard]] virtual CallBits call_bits(int tokens) const = 0;

    [[nodiscard]] const CaptureShape& shape() const { return shape_; }
    /// G and d_h as counts of bits want them, and G d_h.
    [[nodiscard]] std::uint64_t heads() const { return static_cast<std::uint64_t>(shape_.kv_heads); }
    [[nodiscard]] std::uint64_t dim() const { return static_cast<std::uint64_t>(shape_.dim); }
    [[nodiscard]] std::uint64_t scalars() const { return heads() * dim(); }

private:
    CaptureShape shape_;
};

} // namespace kvproof
