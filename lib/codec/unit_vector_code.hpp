#pragma once

#include "lib/codec/level_quantiser.hpp"
#include "lib/codec/transform.hpp"

#include <cstddef>
#include <span>

namespace kvproof {

/// A vector as its binary16 norm and a code for its direction (TurboQuant's mse variant): the unit vector is
/// transformed, and each coordinate times sqrt(d), which is near N(0, 1), goes to the nearest level.
struct UnitVectorCode {
    Transform transform;
    LevelQuantiser levels;
    bool norm_correction = true; ///< the looked-up vector is brought to length 1 before it gets its norm

    /// Replaces a transformed unit vector by what its codes say.
    void quantise_direction(std::span<double> unit) const;
    /// Replaces x by what is stored of it; a vector of norm 0 stays 0. Returns whether the norm was beyond
    /// binary16's range: then it is 65504, and the direction is untouched by that.
    bool quantise(std::span<double> x) const;
};

/// sqrt(sum x_c^2) in double, c ascending; entries up to 2^127.
[[nodiscard]] double euclidean_norm(std::span<const double> x);

} // namespace kvproof
