#pragma once

#include "lib/account/cost.hpp"
#include "lib/account/geometry.hpp"
#include "lib/account/system.hpp"

namespace kvproof {

/// A budget that all compressed layers of a model share: with n of them floor(n bits) for each unit of a
/// count. Where it is taken off another such term `bits` is negative, and the floor is that of its magnitude.
struct SharedTerm {
    CostPart part = CostPart::payload;
    Rational bits;
    Growth growth;
};

/// The rules by which a system is charged in one layer, as data.
struct Charges {
    std::vector<CostTerm> read;   ///< by a call, of what grows with the cache
    std::vector<CostTerm> stored; ///< with the tokens
    /// Of all layers together: stored with the tokens, and read by a call of each layer.
    std::vector<SharedTerm> shared;
    Cost layer_once; ///< retained by each layer, and loaded by each of its calls
    Cost model_once; ///< retained once, and loaded by each call of each layer
};

/// The rules of ReadKV A.1 and F.2. Two of them are not stated there and were inferred from the printed
/// digits of Tables 2, 6 and 8, which they reproduce: that calibration is a mean and a scale of 16 bits for
/// each key and value channel, and that a decoder table is all 511 centroids of depths 0..8 in 32 bits, one
/// for keys and one for values, whatever W. Throws Error(bad_option) where the geometry does not fit.
[[nodiscard]] Charges charges_of(const System& system, const LayerGeometry& layer);

} // namespace kvproof
