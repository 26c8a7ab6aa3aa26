#pragma once

#include "lib/exact/rational.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// A system of the papers with its parameters. Depths and bits are per scalar.
struct System {
    enum class Kind {
        dense,
        readkv,       ///< retains W levels, reads key and value depths R_K and R_V on average (ReadKV 3)
        full,         ///< retains and reads W levels: the Full Reader (ReadKV 5)
        uniform,      ///< retains and reads depth R everywhere (ReadKV F.5)
        calibration,  ///< as readkv, importance fixed by the calibration set (ReadKV F.5)
        two_level,    ///< depths LOW and W only (ReadKV F.6)
        readkv_gpu,   ///< the restricted reader of the kernels (ReadKV F.8)
        lloyd2,       ///< two bits, not nested, norm-corrected keys (ReadKV F.2)
        kivi,         ///< ReadKV F.2
        turboquant,   ///< K4/V4, norm-corrected (ReadKV F.2)
        sparq,        ///< r channels, k tokens (ReadKV F.2)
        sparq_nested, ///< the same on prefixes of depth 2 and 8 of the nested code (ReadKV F.2)
        kvquant,      ///< baseline of AATC; its closed form is this project's
        aatc,         ///< whitened, attention-aware bits of channels (AATC V)
        aatc_var,     ///< the same without the attention-aware weights (AATC VI)
    };
    Kind kind = Kind::dense;
    std::string name = "dense"; ///< as it was spelled
    bool protect = false;       ///< the first two and last two layers are dense
    long stored = 16;           ///< W, or the bits of a fixed-rate code
    Rational key_rate = 16;     ///< R_K; aatc: average bits of a key channel
    Rational value_rate = 16;   ///< R_V; aatc: of a value channel
    long low = 0;               ///< two_level
    bool two_level_keys = true; ///< two_level: else keys are read as by readkv
    bool two_level_values = true;
    long channels = 0;     ///< sparq: r
    long selected = 0;     ///< sparq: k
    long groups = 1;       ///< aatc: head groups, each with a transform and a scale for each token of its own
    bool plain = false;    ///< aatc: one water-filling over all layers, nothing normalised or fixed
    bool repaired = false; ///< aatc: TokenCode::repaired
};

/// Reads a reader name: dense, readkv:W,R, readkv:W,RK,RV, full:W, uniform:R, calibration:W,RK,RV,
/// two-level:LOW,W,RK,RV[,keys|values|both], readkv-gpu:W,R, lloyd2, kivi:2|4, turboquant, sparq:r,k,
/// sparq-nested:r,k, kvquant:BITS, aatc:BITS and aatc-var:BITS (a decimal up to 16, then any of ,plain
/// ,repaired and ,groups=N), each perhaps with +protect. W is 1 to 8; R, RK, RV are decimals, taken exactly,
/// from 0 (readkv-gpu: 1, a restricted stage of two-level: LOW) to W. Throws Error(bad_option).
[[nodiscard]] System parse_system(std::string_view text);

/// The names of all systems of ReadKV's tables and controls whose cost has a closed form, in the order of its
/// sections.
[[nodiscard]] const std::vector<std::string>& paper_systems();

} // namespace kvproof
