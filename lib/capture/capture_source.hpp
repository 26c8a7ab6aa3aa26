#pragma once

#include "lib/capture/capture_layer.hpp"
#include "lib/capture/float_array.hpp"
#include "lib/codec/rotary.hpp"

#include <optional>
#include <string>

namespace kvproof {

/// All layers of one model on one text, wherever they come from: what a reader may look at that learns from a
/// whole calibration capture, and not layer by layer.
class CaptureSource {
public:
    CaptureSource() = default;
    CaptureSource(const CaptureSource&) = default;
    CaptureSource(CaptureSource&&) = default;
    CaptureSource& operator=(const CaptureSource&) = default;
    CaptureSource& operator=(CaptureSource&&) = default;
    virtual ~CaptureSource() = default;

    [[nodiscard]] virtual const CaptureShape& shape() const = 0;
    /// What it is called in an error line.
    [[nodiscard]] virtual const std::string& source() const = 0;
    [[nodiscard]] virtual CaptureLayer layer(int index) const = 0;
    /// One of x [T, d_model], wk and wv [d_model, G d_h], wo [H d_h, d_model]; nothing where there is none.
    [[nodiscard]] virtual std::optional<Tensor> matrix(int index, const std::string& name) const = 0;
    /// The rotary encoding of queries and keys; nothing where it is not told.
    [[nodiscard]] virtual std::optional<Rotary> rotary() const = 0;
};

} // namespace kvproof
