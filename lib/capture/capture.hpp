#pragma once

#include "lib/capture/capture_source.hpp"
#include "lib/record/mapped_file.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace kvproof {

/// A file of captured attention: safetensors with layers.{L}.q [H, Tq, d_h], .k and .v [G, T, d_h] of dtype
/// F16, BF16, F32 or F64, mapped; or one layer as NAME_q.npy, NAME_k.npy and NAME_v.npy, named by any of the
/// three. Causal: query row i stands at position T - Tq + i and sees the tokens up to it.
class Capture final : public CaptureSource {
public:
    /// Checks everything, every number included, so that nothing can be refused half-way. Throws
    /// Error(file_not_readable), Error(bad_file_format), and Error(bad_capture) where the tensors are no
    /// attention. Each names the file, the tensor, what was found and what was expected.
    explicit Capture(const std::filesystem::path& path);

    [[nodiscard]] const CaptureShape& shape() const override { return shape_; }
    /// The file's name as it was given.
    [[nodiscard]] const std::string& source() const override { return source_; }
    /// The sha256 of the file's bytes; of three .npy files, that of their three hashes one after the other.
    [[nodiscard]] std::string hash() const;
    /// What the file is unusual in and what is done about it, one sentence each.
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
    /// Throws Error(bad_capture) where the file holds no queries: attention cannot be measured on it.
    void require_queries() const;
    [[nodiscard]] CaptureLayer layer(int index) const override;
    /// Throws Error(bad_capture) where the tensor has not two dimensions.
    [[nodiscard]] std::optional<Tensor> matrix(int index, const std::string& name) const override;
    /// From `rope_style` (interleaved or half) and `rope_theta` of the metadata. Throws Error(bad_capture)
    /// where they are there and make no sense.
    [[nodiscard]] std::optional<Rotary> rotary() const override;

private:
    void open_safetensors(const std::filesystem::path& path);
    void open_npy(const std::filesystem::path& path);
    void check();
    void check_metadata() const;
    [[nodiscard]] const TensorView& required(int index, const std::string& name) const;

    std::string source_;
    std::vector<MappedFile> files_;
    Safetensors tensors_;        // views into the file
    std::vector<Tensor> arrays_; // q, k, v of a .npy capture
    CaptureShape shape_;
    std::vector<std::string> notes_;
};

} // namespace kvproof
