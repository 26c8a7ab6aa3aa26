#include "lib/codec/bit_planes.hpp"

#include "lib/avx2.hpp"
#include "lib/codec/bit_block.hpp"
#include "lib/error.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kvproof {
namespace {

[[noreturn]] void refuse(const std::string& line) {
    throw Error(ErrorCode::internal, "bit planes: " + line);
}

void require_code(std::uint32_t code, std::size_t item, int depth) {
    if (code >> depth != 0)
        refuse("found code " + std::to_string(code) + " at " + std::to_string(item) + ", expected " +
               std::to_string(depth) + " bits");
}

/// Where planes lie: plane p begins at words + p * stride.
struct Planes {
    std::uint64_t* words;
    std::size_t stride;
    std::size_t depth;
};

/// Writes word `w` of every plane from up to 64 codes; bits of codes beyond the depth are left out.
template <class Code>
void pack_word(const Code* codes, std::size_t count, std::size_t w, const Planes& planes) {
    for (std::size_t byte = 0; byte < sizeof(Code); ++byte) {
        if (8 * byte >= planes.depth) return;
        BitBlock block{};
        if constexpr (sizeof(Code) == 1) {
            std::memcpy(block.data(), codes, count);
        } else {
            std::array<std::uint8_t, 64> bytes{};
            for (std::size_t i = 0; i < count; ++i)
                bytes[i] = static_cast<std::uint8_t>(codes[i] >> (8 * byte));
            std::memcpy(block.data(), bytes.data(), 64);
        }
        codes_to_planes(block);
        const std::size_t rows = std::min<std::size_t>(8, planes.depth - 8 * byte);
        for (std::size_t k = 0; k < rows; ++k)
            planes.words[(planes.depth - 1 - 8 * byte - k) * planes.stride + w] = block[k];
    }
}

template <class Code>
void pack_body(const Code* codes, std::size_t n, const Planes& planes) {
    for (std::size_t w = 0; w < n / 64; ++w) pack_word(codes + 64 * w, 64, w, planes);
    if (n % 64 != 0) pack_word(codes + n / 64 * 64, n % 64, n / 64, planes);
}

/// Word `w` of the first t <= 8 planes as 64 numbers of t bits.
BitBlock read_word(const std::uint64_t* words, std::size_t stride, std::size_t t, std::size_t w) {
    BitBlock block{};
    for (std::size_t k = 0; k < t; ++k) block[k] = words[(t - 1 - k) * stride + w];
    planes_to_codes(block);
    return block;
}

void read_body(const std::uint64_t* words, std::size_t stride, std::size_t t, std::size_t n,
               std::uint8_t* out) {
    for (std::size_t w = 0; w < n / 64; ++w) {
        const BitBlock block = read_word(words, stride, t, w);
        std::memcpy(out + 64 * w, block.data(), 64);
    }
    if (n % 64 != 0) {
        const BitBlock block = read_word(words, stride, t, n / 64);
        std::memcpy(out + n / 64 * 64, block.data(), n % 64);
    }
}

#if defined(__x86_64__)

/// 32 bits to 32 bytes, 0xff for a bit that is set: each byte looks at its bit in a copy of the bits' byte.
KVPROOF_AVX2 inline __m256i spread(std::uint32_t bits) {
    const __m256i byte_of = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit_of = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
    const __m256i copies = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), byte_of);
    return _mm256_cmpeq_epi8(_mm256_and_si256(copies, bit_of), bit_of);
}

KVPROOF_AVX2 void read_avx2(const std::uint64_t* words, std::size_t stride, std::size_t t, std::size_t n,
                            std::uint8_t* out) {
    for (std::size_t at = 0; at < n; at += 32) {
        __m256i codes = _mm256_setzero_si256();
        for (std::size_t p = 0; p < t; ++p) {
            const std::uint64_t word = words[p * stride + at / 64];
            const __m256i ones = spread(static_cast<std::uint32_t>(word >> (at % 64)));
            codes = _mm256_sub_epi8(_mm256_add_epi8(codes, codes), ones); // 2 code + bit
        }
        if (n - at >= 32) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + at), codes);
        } else {
            std::array<std::uint8_t, 32> last{};
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(last.data()), codes);
            std::memcpy(out + at, last.data(), n - at);
        }
    }
}

/// The words are 0 before.
KVPROOF_AVX2 void pack_avx2(const std::uint8_t* codes, std::size_t n, const Planes& planes) {
    const __m128i to_top = _mm_cvtsi32_si128(static_cast<int>(8 - planes.depth));
    for (std::size_t at = 0; at < n; at += 32) {
        std::array<std::uint8_t, 32> last{};
        if (n - at < 32) std::memcpy(last.data(), codes + at, n - at);
        const std::uint8_t* const from = n - at < 32 ? last.data() : codes + at;
        // A code has no more than `depth` bits: none moves over to the next byte.
        __m256i x = _mm256_sll_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), to_top);
        for (std::size_t p = 0; p < planes.depth; ++p) {
            const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(x));
            planes.words[p * planes.stride + at / 64] |= std::uint64_t{bits} << (at % 64);
            x = _mm256_add_epi8(x, x);
        }
    }
}

#else

void read_avx2(const std::uint64_t*, std::size_t, std::size_t, std::size_t, std::uint8_t*) {}
void pack_avx2(const std::uint8_t*, std::size_t, const Planes&) {}

#endif

void pack_all(const std::uint8_t* codes, std::size_t n, const Planes& planes) {
    if (has_avx2() && planes.depth <= 8)
        pack_avx2(codes, n, planes);
    else
        pack_body(codes, n, planes);
}

void pack_all(const std::uint16_t* codes, std::size_t n, const Planes& planes) {
    pack_body(codes, n, planes);
}

void read_all(const std::uint64_t* words, std::size_t stride, std::size_t t, std::size_t n,
              std::uint8_t* out) {
    if (has_avx2())
        read_avx2(words, stride, t, n, out);
    else
        read_body(words, stride, t, n, out);
}

/// Prefixes of more than 8 bits: the first t - 8 planes are the upper byte, the next 8 the lower one.
void read_all(const std::uint64_t* words, std::size_t stride, std::size_t t, std::size_t n,
              std::uint16_t* out) {
    const std::size_t upper = t > 8 ? t - 8 : 0;
    std::vector<std::uint8_t> bytes(n);
    read_all(words + upper * stride, stride, t - upper, n, bytes.data());
    for (std::size_t i = 0; i < n; ++i) out[i] = bytes[i];
    if (upper == 0) return;
    read_all(words, stride, upper, n, bytes.data());
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint16_t>(out[i] | bytes[i] << 8);
}

} // namespace

BitPlanes::BitPlanes(int depth) : depth_(depth) {
    if (depth < 1 || depth > 16) refuse("found a depth of " + std::to_string(depth) + ", expected 1 to 16");
}

void BitPlanes::reserve_words(std::size_t words) {
    if (words <= capacity_) return;
    std::vector<std::uint64_t> wider(words * static_cast<std::size_t>(depth_));
    for (int p = 0; p < depth_; ++p)
        std::ranges::copy(plane(p), wider.begin() + static_cast<std::ptrdiff_t>(p * words));
    words_ = std::move(wider);
    capacity_ = words;
}

template <class Code>
BitPlanes BitPlanes::pack_codes(std::span<const Code> codes, int depth) {
    BitPlanes out(depth);
    Code bits = 0;
    for (const Code code : codes) bits = static_cast<Code>(bits | code);
    if (bits >> depth != 0)
        for (std::size_t i = 0; i < codes.size(); ++i) require_code(codes[i], i, depth);
    out.reserve_words((codes.size() + 63) / 64);
    out.size_ = codes.size();
    pack_all(codes.data(), codes.size(), {out.words_.data(), out.capacity_, static_cast<std::size_t>(depth)});
    return out;
}

BitPlanes BitPlanes::pack(std::span<const std::uint8_t> codes, int depth) {
    return pack_codes(codes, depth);
}

BitPlanes BitPlanes::pack(std::span<const std::uint16_t> codes, int depth) {
    return pack_codes(codes, depth);
}

void BitPlanes::append(std::uint16_t code) {
    require_code(code, size_, depth_);
    const std::size_t word = size_ / 64;
    if (word == capacity_) reserve_words(std::max<std::size_t>(1, 2 * capacity_));
    for (int p = 0; p < depth_; ++p)
        words_[p * capacity_ + word] |= std::uint64_t{(code >> (depth_ - 1 - p)) & 1U} << (size_ % 64);
    ++size_;
}

template <class Code>
std::uint64_t BitPlanes::read_codes(int t, std::size_t visible, std::span<Code> out) const {
    if (t < 0 || t > depth_ || t > static_cast<int>(8 * sizeof(Code)))
        refuse("found a prefix of " + std::to_string(t) + " bits, expected at most " +
               std::to_string(std::min(depth_, static_cast<int>(8 * sizeof(Code)))));
    if (visible > size_ || out.size() < visible)
        refuse("found " + std::to_string(visible) + " codes to read, expected at most " +
               std::to_string(std::min(size_, out.size())));
    read_all(words_.data(), capacity_, static_cast<std::size_t>(t), visible, out.data());
    return static_cast<std::uint64_t>(t) * visible;
}

std::uint64_t BitPlanes::read_prefix(int t, std::size_t visible, std::span<std::uint8_t> out) const {
    return read_codes(t, visible, out);
}

std::uint64_t BitPlanes::read_prefix(int t, std::size_t visible, std::span<std::uint16_t> out) const {
    return read_codes(t, visible, out);
}

std::uint64_t BitPlanes::payload_bits() const {
    return static_cast<std::uint64_t>(depth_) * size_;
}

std::span<const std::uint64_t> BitPlanes::plane(int p) const {
    if (p < 0 || p >= depth_) refuse("found plane " + std::to_string(p) + " of " + std::to_string(depth_));
    return {words_.data() + static_cast<std::size_t>(p) * capacity_, word_count()};
}

namespace any_processor {

void pack_planes(std::span<const std::uint8_t> codes, int depth, std::span<std::uint64_t> words) {
    pack_body(codes.data(), codes.size(),
              {words.data(), (codes.size() + 63) / 64, static_cast<std::size_t>(depth)});
}

void read_planes(std::span<const std::uint64_t> words, std::size_t stride, int t,
                 std::span<std::uint8_t> out) {
    read_body(words.data(), stride, static_cast<std::size_t>(t), out.size(), out.data());
}

} // namespace any_processor

void BitPlanes::flip(int p, std::size_t item) {
    if (p < 0 || p >= depth_ || item >= size_) refuse("found no bit there to flip");
    words_[static_cast<std::size_t>(p) * capacity_ + item / 64] ^= std::uint64_t{1} << (item % 64);
}

} // namespace kvproof
