#pragma once

#include "lib/capture/capture.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace kvproof {

/// One vector for each KV head and token: [G, T, d_h], row-major.
class HeadVectors {
public:
    HeadVectors(const CaptureShape& shape, std::vector<double> entries)
        : tokens_(static_cast<std::size_t>(shape.tokens)), dim_(static_cast<std::size_t>(shape.dim)),
          entries_(std::move(entries)) {}

    [[nodiscard]] std::span<double> at(int kv_head, int token) {
        return std::span(entries_).subspan(place(kv_head, token), dim_);
    }
    [[nodiscard]] std::span<const double> at(int kv_head, int token) const {
        return std::span(entries_).subspan(place(kv_head, token), dim_);
    }
    [[nodiscard]] std::span<double> entries() { return entries_; }
    [[nodiscard]] const std::vector<double>& entries() const { return entries_; }

private:
    [[nodiscard]] std::size_t place(int kv_head, int token) const {
        return (static_cast<std::size_t>(kv_head) * tokens_ + static_cast<std::size_t>(token)) * dim_;
    }

    std::size_t tokens_;
    std::size_t dim_;
    std::vector<double> entries_;
};

} // namespace kvproof
