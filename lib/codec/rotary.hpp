#pragma once

#include <span>
#include <vector>

namespace kvproof {

/// Which channels turn together: (2p, 2p+1), or (p, p + d_h/2).
enum class RotaryPairs { interleaved, half };

/// The rotary position encoding of a head: pair p of position t turns by t theta^(-2p/d_h), (u, v) -> (u cos
/// - v sin, u sin + v cos). From lib/portable: the same bits on every machine. An angle is known to a few
/// 2^-53 of itself.
class Rotary {
public:
    /// For heads of `dim` channels, an even number, and theta > 0. Throws Error(bad_option) otherwise.
    Rotary(RotaryPairs pairs, double theta, int dim);

    /// Turns a vector of d_h entries from position 0 to `position`; turn(x, -position) brings it back.
    void turn(std::span<double> x, int position) const;

private:
    RotaryPairs pairs_;
    std::vector<double> speeds_; // [d_h/2], whole turns a position
};

} // namespace kvproof
