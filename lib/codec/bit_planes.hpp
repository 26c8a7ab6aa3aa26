#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

/// A list of W-bit codes that are always read to the same depth: a key channel over tokens, or the channels
/// of a value token. Plane p holds bit p of every code, the most significant first, so that a prefix of t
/// bits of any number of codes is t planes, and no bit of another plane is touched.
///
/// In plane p, code i is bit i mod 64 of word i / 64. Bits behind the last code are 0.
class BitPlanes {
public:
    /// No codes yet, of `depth` bits each. Throws Error(internal) unless depth is 1..16.
    explicit BitPlanes(int depth);

    /// The codes in bulk; equal to appending them one by one. Throws Error(internal), naming the first, on a
    /// code of more than `depth` bits.
    [[nodiscard]] static BitPlanes pack(std::span<const std::uint8_t> codes, int depth);
    [[nodiscard]] static BitPlanes pack(std::span<const std::uint16_t> codes, int depth);

    /// One more code at the end. Throws as pack.
    void append(std::uint16_t code);

    /// Writes the first t bits, as numbers, of the first `visible` codes; returns how many bits that took to
    /// read: t * visible. Depth 0 reads nothing and gives 0. Throws Error(internal) unless t <= depth(), t
    /// bits fit in an entry of `out`, visible <= size() and out has room.
    std::uint64_t read_prefix(int t, std::size_t visible, std::span<std::uint8_t> out) const;
    std::uint64_t read_prefix(int t, std::size_t visible, std::span<std::uint16_t> out) const;

    [[nodiscard]] int depth() const { return depth_; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// The bits of payload: depth() * size(), without what rounds planes up to words.
    [[nodiscard]] std::uint64_t payload_bits() const;

    /// The words of a plane.
    [[nodiscard]] std::span<const std::uint64_t> plane(int p) const;

    /// Turns over one stored bit: how tests find out what is read.
    void flip(int p, std::size_t item);

private:
    [[nodiscard]] std::size_t word_count() const { return (size_ + 63) / 64; }
    void reserve_words(std::size_t words);
    template <class Code>
    static BitPlanes pack_codes(std::span<const Code> codes, int depth);
    template <class Code>
    std::uint64_t read_codes(int t, std::size_t visible, std::span<Code> out) const;

    int depth_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0; ///< words of a plane, one plane after the other
    std::vector<std::uint64_t> words_;
};

/// The forms that every processor runs, for the test that those of BitPlanes equal them: planes of (n + 63) /
/// 64 words and of `stride` words, one after the other.
namespace any_processor {
void pack_planes(std::span<const std::uint8_t> codes, int depth, std::span<std::uint64_t> words);
void read_planes(std::span<const std::uint64_t> words, std::size_t stride, int t,
                 std::span<std::uint8_t> out);
} // namespace any_processor

} // namespace kvproof
