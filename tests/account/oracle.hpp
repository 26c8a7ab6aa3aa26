#pragma once
// The same bits counted another way: token by token, with machine integers and a loop over tokens, items or
// increments where lib/account has a combination of growths. The numbers that the paper and the inferred
// rules name are variables here, so that a test can change one and see the printed cells fail.

#include "lib/account/geometry.hpp"
#include "lib/account/system.hpp"

namespace kvproof::testing_support {

using Count = long long;

struct Assumptions {
    Count kivi_residual = 128;
    Count kivi_group_bits = 32;
    Count centroids = 511;
    bool tables_in_each_layer = false;
    Count calibration_numbers = 4; // for each channel, of 16 bits
    Count norm_bits = 16;
    Count turboquant_value_bits = 32;
    bool current_token_beyond_k = true;
    Count mean_state_bits = 16;
    Count dense_layers_of_protect = 4;
    Count aatc_whole = 132;
    Count aatc_step = 16;
};

struct Counted {
    Count read = 0;   ///< by a layer's call
    Count stored = 0; ///< in a layer, with its tokens
    Count layer = 0;  ///< retained once by a layer
    Count model = 0;  ///< retained once
};

inline Count whole(const Rational& value) {
    return floor(value).convert_to<Count>();
}

/// Increments that a stage with depths LOW and W spends, one raised item after another.
inline Count two_level_spent(Count budget, Count items, Count low, Count deep) {
    Count spent = low * items;
    while (spent + deep - low <= budget) spent += deep - low;
    return spent;
}

/// A token of KIVI in one KV head: keys wait until their block of the residual's length is full, and are
/// quantised after the call that fills it; values stay while they are among the latest.
inline Count kivi_head(const Assumptions& rules, Count bits, Count d, Count t) {
    Count quantised_keys = 0;
    while (quantised_keys + rules.kivi_residual < t) quantised_keys += rules.kivi_residual;
    const Count key = bits * d + rules.kivi_group_bits * d / 32;
    const Count value = bits * d + rules.kivi_group_bits * ((d + 31) / 32);
    Count sum = 0;
    for (Count token = 0; token < t; ++token) {
        sum += token < quantised_keys ? key : 16 * d;
        sum += t - token > rules.kivi_residual ? value : 16 * d;
    }
    return sum;
}

/// What one layer's call at cache length t reads, and what is retained then.
inline Counted count(const System& system, const LayerGeometry& layer, Count t,
                     const Assumptions& rules = {}) {
    const Count G = layer.kv_heads;
    const Count d = layer.head_dim;
    const Count calibration = rules.calibration_numbers * 16 * G * d;
    const Count tables = 2 * rules.centroids * 32;
    Counted out;
    // What a call touches of `stored` bits with the readers of the nested code.
    const auto nested = [&](Count payload) {
        out.layer = calibration;
        out.model = tables;
        out.stored = 2 * G * d * t * system.stored;
        out.read = payload + calibration + tables;
    };
    const Count key_budget = whole(system.key_rate * Rational(G * d));
    const Count value_budget = whole(system.value_rate * Rational(G * t));
    switch (system.kind) {
    case System::Kind::dense: out.stored = out.read = 2 * 16 * G * d * t; break;
    case System::Kind::readkv:
    case System::Kind::full:
    case System::Kind::uniform:
    case System::Kind::calibration: nested(t * key_budget + d * value_budget); break;
    case System::Kind::two_level: {
        const Count keys = system.two_level_keys
                               ? two_level_spent(key_budget, G * d, system.low, system.stored)
                               : key_budget;
        const Count values = system.two_level_values
                                 ? two_level_spent(value_budget, G * t, system.low, system.stored)
                                 : value_budget;
        nested(t * keys + d * values);
        break;
    }
    case System::Kind::readkv_gpu: {
        Count packets = 0; // pairs (2j, 2j+1) of tokens, the last padded
        for (Count token = 0; token < t; token += 2) ++packets;
        nested(G * (t * whole(system.key_rate * d) + 2 * d * whole(system.value_rate * packets)));
        out.stored = G * d * system.stored * (t + 2 * packets);
        break;
    }
    case System::Kind::lloyd2:
        out.layer = calibration;
        out.model = 2 * 4 * 32;
        for (Count token = 0; token < t; ++token) out.stored += G * (2 * d + rules.norm_bits + 2 * d);
        out.read = out.stored + out.layer + out.model;
        break;
    case System::Kind::kivi: out.stored = out.read = G * kivi_head(rules, system.stored, d, t); break;
    case System::Kind::turboquant:
        for (Count token = 0; token < t; ++token)
            out.read += G * (4 * d + rules.norm_bits) + G * (4 * d + rules.turboquant_value_bits);
        out.stored = out.read;
        break;
    case System::Kind::sparq:
    case System::Kind::sparq_nested: {
        const bool code = system.kind == System::Kind::sparq_nested;
        const Count depth = code ? 8 : 16;
        if (code) nested(0);
        out.stored = 2 * G * d * depth * t;
        out.layer += rules.mean_state_bits * G * d;
        out.read += rules.mean_state_bits * G * d;
        Count left = system.selected + (rules.current_token_beyond_k ? 1 : 0);
        for (Count token = 0; token < t; ++token, --left) {
            out.read += G * system.channels * (code ? 2 : 16);
            if (left > 0) out.read += 2 * G * d * depth;
        }
        break;
    }
    case System::Kind::kvquant: {
        Count aside = 0; // of the keys of a token, one in a hundred or part of a hundred
        for (Count entry = 0; entry < G * d; entry += 100) ++aside;
        for (Count token = 0; token < t; ++token)
            out.stored += token == 0 ? 2 * 16 * G * d : 2 * G * d * system.stored + 2 * aside * 32 + 32;
        out.layer = 2 * 16 * G * d + 2 * 32 * (1LL << system.stored);
        out.read = out.stored + out.layer;
        break;
    }
    case System::Kind::aatc:
    case System::Kind::aatc_var: {
        Count coded = 0; // tokens that left the window: sixteen at once after a call that found 132 whole
        for (Count token = 1; token < t; ++token)
            if (token - coded == rules.aatc_whole) coded += rules.aatc_step;
        const Count codes =
            whole(system.key_rate * Rational(G * d)) + whole(system.value_rate * Rational(G * d));
        for (Count token = 0; token < t; ++token)
            out.stored += token < coded ? codes + 2 * 16 * system.groups : 2 * 16 * G * d;
        out.layer = 2 * 16 * G * d;
        out.read = out.stored + out.layer;
        break;
    }
    }
    return out;
}

} // namespace kvproof::testing_support
