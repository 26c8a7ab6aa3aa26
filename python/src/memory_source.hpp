#pragma once

#include "lib/capture/capture_source.hpp"

#include <pybind11/numpy.h>

#include <memory>
#include <optional>

namespace kvproof::python {

/// A cache that Python holds: keys and values [L, G, T, d_h] and queries [L, H, Tq, d_h], each in C order and
/// of dtype float16, float32, float64 or, as bfloat16, uint16. Views only; the arrays must outlive it. A
/// layer becomes doubles when it is asked for.
class MemorySource final : public CaptureSource {
public:
    /// `role` is put before names in error lines: "calibration ", or nothing. Throws Error(bad_capture) where
    /// the shapes are no attention.
    MemorySource(const pybind11::array& keys, const pybind11::array& values,
                 const std::optional<pybind11::array>& queries, const std::string& role);

    [[nodiscard]] const CaptureShape& shape() const override { return shape_; }
    [[nodiscard]] const std::string& source() const override { return source_; }
    /// Throws Error(bad_capture), naming the array and the place, on NaN and infinities.
    [[nodiscard]] CaptureLayer layer(int index) const override;
    /// Arrays come without the projections.
    [[nodiscard]] std::optional<Tensor> matrix(int, const std::string&) const override {
        return std::nullopt;
    }
    [[nodiscard]] std::optional<Rotary> rotary() const override { return std::nullopt; }

private:
    std::string source_;
    std::string role_;
    CaptureShape shape_;
    TensorView keys_, values_, queries_;
};

} // namespace kvproof::python
