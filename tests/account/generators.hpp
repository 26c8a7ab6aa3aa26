#pragma once
// Random systems, layers and rates; small ones and odd ones often.

#include "lib/account/bits.hpp"

#include <rapidcheck.h>

namespace kvproof::testing_support {

inline long any(long lower, long upper) {
    return *rc::gen::inRange(lower, upper + 1);
}

/// A decimal from `lower` to `upper` with up to two places, as text.
inline std::string any_rate(long lower, long upper) {
    const long hundredths = any(100 * lower, 100 * upper);
    const std::string places = std::to_string(100 + hundredths % 100).substr(1);
    return std::to_string(hundredths / 100) + (any(0, 3) == 0 ? "" : "." + places);
}

inline LayerGeometry any_layer() {
    const long kv_heads = any(1, 6);
    return {kv_heads * any(1, 3), kv_heads, any(1, 70)};
}

/// The name of a system of any kind that fits the layer.
inline std::string any_system(const LayerGeometry& layer) {
    const auto text = [](long value) { return std::to_string(value); };
    const long deep = any(1, 8);
    const std::string comma = ",";
    const std::string sparsity = text(any(1, layer.head_dim)) + comma + text(any(1, 150));
    switch (any(0, 13)) {
    case 0: return "dense";
    case 1: return "readkv:" + text(deep) + comma + any_rate(0, deep) + comma + any_rate(0, deep);
    case 2: return "full:" + text(deep);
    case 3: return "uniform:" + text(deep);
    case 4: return "calibration:" + text(deep) + comma + any_rate(0, deep) + comma + any_rate(0, deep);
    case 5: {
        const long low = any(0, deep - 1);
        const std::string stages = *rc::gen::element<std::string>("", ",keys", ",values", ",both");
        return "two-level:" + text(low) + comma + text(deep) + comma + any_rate(low, deep) + comma +
               any_rate(low, deep) + stages;
    }
    case 6: return "readkv-gpu:" + text(deep) + comma + any_rate(1, deep);
    case 7: return "lloyd2";
    case 8: return *rc::gen::element<std::string>("kivi:2", "kivi:4");
    case 9: return "turboquant";
    case 10: return "sparq:" + sparsity;
    case 11: return "sparq-nested:" + sparsity;
    case 12: return "kvquant:" + text(deep);
    default: {
        long groups = any(1, layer.kv_heads);
        while (layer.kv_heads % groups != 0) --groups;
        return *rc::gen::element<std::string>("aatc:", "aatc-var:") + any_rate(0, 16) +
               ",groups=" + text(groups);
    }
    }
}

} // namespace kvproof::testing_support
