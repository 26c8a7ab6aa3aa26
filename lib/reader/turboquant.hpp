#pragma once

#include "lib/reader/reader.hpp"

#include <cstdint>

namespace kvproof {

/// What implementations of TurboQuant differ in. The defaults are the norm-corrected serving variant that
/// ReadKV compares with.
struct TurboQuantOptions {
    enum class Law {
        gaussian,    ///< levels for N(0, 1/d)
        unit_vector, ///< levels for the exact law of a coordinate of a random unit vector
    };
    int bits = 4;       ///< of a key coordinate (with `sketch` one of them is the sketch's) and of a value's
    bool signs = false; ///< random signs before the Hadamard matrix, streams 0 (keys) and 1 (values) of seed
    Law law = Law::gaussian;
    bool norm_correction = true;
    bool sketch = false;        ///< keys by InnerProductCode
    bool vector_values = false; ///< values as keys without a sketch, not uniform per token
    std::uint64_t seed = 0;
};

/// The paper's own variants (Zandieh et al.): random rotation, exact law, no norm correction; prod adds the
/// sketch to the keys. Values are coded for mean squared error in both. prod takes 2 bits or more.
[[nodiscard]] TurboQuantOptions turboquant_mse(int bits, std::uint64_t seed);
[[nodiscard]] TurboQuantOptions turboquant_prod(int bits, std::uint64_t seed);

/// TurboQuant (ReadKV F.2). Serving variant, K4/V4: a key is a binary16 norm and the UnitVectorCode of its
/// direction under H/sqrt(d) with 16 Gaussian levels, norm-corrected; a value is a UniformGroup of all its
/// d_h channels, codes rounded half up. Norms are taken in double. Settings with the identity transform turn
/// the rotation off here too; else d_h must be a power of two. Nothing is charged for the levels
/// (accounting). Throws Error(bad_option) for bits outside 1 to 8 (2 to 8 with `sketch`).
[[nodiscard]] std::unique_ptr<Reader> turboquant_reader(const TurboQuantOptions& options = {});

} // namespace kvproof
