#pragma once

#include "lib/codec/bit_plan.hpp"
#include "lib/codec/principal_axes.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace kvproof {

inline constexpr unsigned byte_bits = 8; ///< streams are charged by the byte

/// What KVTC may do with principal coordinates: groups of 1, 16, 64, 256 or 1024 of them, of 0, 2, 4 or 8
/// bits, and 32 bits for the scale and the shift of a group and token.
[[nodiscard]] const GroupMenu& kvtc_menu();

/// What KVTC learns of the keys of a layer, or of its values: the axes of the vectors of all KV heads side by
/// side, and the groups.
struct KvtcBasis {
    PrincipalAxes axes;
    BitPlan plan;
};

/// From the rows [tokens, n] of a calibration layer, for at most `budget` bits a token, fields included. A
/// group's distortion is what coding the calibration tokens does to their coordinates, squared: realised, not
/// modelled; and since axes are orthonormal, that of the vectors. The plan covers the axes along which the
/// rows vary (PrincipalAxes::rank); the others are not coded.
[[nodiscard]] KvtcBasis learn_kvtc(std::span<const double> rows, std::size_t n, std::uint64_t budget);

/// The codes of consecutive tokens. A group of a token is a UniformGroup: shift = min and scale = (max - min)
/// / (2^b - 1) in binary16, codes rounded half to even against the stored fields.
class KvtcCodes {
public:
    /// Of the rows [tokens, n].
    KvtcCodes(const KvtcBasis& basis, std::span<const double> rows);

    /// The first `tokens` tokens as bytes: for each group that is not of 0 bits the fields of all tokens
    /// (shift, then scale, little-endian), then their codes, token after token, packed from the low end of
    /// each byte, the group's last byte filled up with zeros.
    [[nodiscard]] std::vector<std::uint8_t> bytes(std::size_t tokens) const;
    /// Coordinates that binary16 fields could not hold.
    [[nodiscard]] std::uint64_t saturated() const { return saturated_; }

private:
    struct Group {
        int bits;
        std::size_t size;
        std::vector<std::uint8_t> fields; ///< [tokens, 4]
        std::vector<std::uint8_t> codes;  ///< [tokens, size], one a byte
    };
    std::vector<Group> groups_;
    std::uint64_t saturated_ = 0;
};

/// The rows [tokens, n] that such bytes stand for.
[[nodiscard]] std::vector<double> kvtc_decoded(const KvtcBasis& basis, std::span<const std::uint8_t> bytes,
                                               std::size_t tokens);

} // namespace kvproof
