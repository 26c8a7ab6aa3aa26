#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// One attention layer's cache: G KV heads of d_h channels, read by H query heads (G divides H).
struct LayerGeometry {
    long query_heads = 1;
    long kv_heads = 1;
    long head_dim = 1;
    bool operator==(const LayerGeometry&) const = default;
};

/// A model of equal layers. `name` is the key of a named model, or "L,G,H,d_h".
struct ModelGeometry {
    std::string name;
    long layers = 1;
    LayerGeometry layer;
    bool operator==(const ModelGeometry&) const = default;
};

/// The models of the papers' tables, public architecture facts: base and instruction-tuned variants share
/// them.
[[nodiscard]] const std::vector<ModelGeometry>& named_models();

/// The model of that name, or the one that "L,G,H,d_h" spells out: layers up to 1000, H up to 4096, G a
/// divisor of H, d_h up to 4096. Throws Error(bad_option).
[[nodiscard]] ModelGeometry parse_model(std::string_view text);

} // namespace kvproof
