#include "lib/account/kvtc_bound.hpp"

#include "lib/account/growth.hpp"
#include "lib/account/sizes.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr long byte = 8;
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
    const Integer whole = value_at(Growth::window(aatc_window, aatc_step), t);
    // the coded tokens are a multiple of 16, so that no group has a last byte to fill up
    const Integer bytes = (t - whole) * budget / byte;
    const Integer groups = std::min(scalars, Integer(budget / least_group_bits));
    return 2 *
           (byte * most_stream_bytes(bytes) + half_size * scalars * (whole + 1) + group_entry_bits * groups);
}

} // namespace kvproof
