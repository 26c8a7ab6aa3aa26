#include "lib/account/kvtc_bound.hpp"

#include "lib/account/growth.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr long half = 16;
constexpr long byte = 8;
constexpr long whole_tokens = 132; // 4 first and 128 latest
constexpr long leaving_tokens = 16;
constexpr long least_group_bits = 34; // of a token: one coordinate of 2 bits, with its fields
constexpr long group_entry_bits = 24; // of the table of groups

/// DEFLATE of so many bytes, at worst.
Integer most_stream_bytes(const Integer& bytes) {
    if (bytes == 0) return 0;
    return bytes + (bytes >> 12) + (bytes >> 14) + (bytes >> 25) + 7;
}

} // namespace

Integer kvtc_most_bits(const System& system, const LayerGeometry& layer, long t) {
    const Integer scalars = Integer(layer.kv_heads) * layer.head_dim;
    const Integer budget = floor(system.key_rate * Rational(scalars));
    const Integer whole = value_at(Growth::window(whole_tokens, leaving_tokens), t);
    const Integer bytes = (t - whole) * budget / byte;
    const Integer groups = std::min(scalars, Integer(budget / least_group_bits));
    return 2 * (byte * most_stream_bytes(bytes) + half * scalars * whole + half * scalars +
                group_entry_bits * groups);
}

} // namespace kvproof
