#pragma once

#include <span>
#include <vector>

namespace kvproof {

/// Which channels turn together: (2p, 2p+1), or (p, p + d_h/2).
enum class RotaryPairs { interleaved, half };

/// The rotary position encoding of a head: pair p of position t turns by t theta^(-2p/d_h), (u, v) -> (u cos
/// - v sin, u sin + v cos). From lib/portable: the same bits on every machine.
///
/// With u = 2^-53 an angle is known to (6 |ln theta| + 5) u of itself: the exponent -2p/d_h ln theta is off
/// by 4 u of itself from the logarithm, by u from the quotient and by u from the product, and is at most |ln
/// theta|; exp adds 2 u, 1/(2 pi) less than u, and its product and that with the position u each. What is
/// left of a whole turn is exact but for angles between -2 pi and 0, where it rounds by pi u; cosine and sine
/// add sincos_error, 4 u. The same position turned forth and back has the same error twice: it cancels.
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
