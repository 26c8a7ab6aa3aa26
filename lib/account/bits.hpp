#pragma once

#include "lib/account/cost.hpp"
#include "lib/account/geometry.hpp"
#include "lib/account/system.hpp"

namespace kvproof {

// The bits of so many equal compressed layers, one where nothing else is said (ReadKV A.1, F.2). They are so
// many times those of one layer, but for AATC, whose budget all layers share: then one layer is a model of
// one. `protect` says nothing here: it makes whole layers dense. Weights, cache writes, schedules and
// workspace are in none of these numbers, and a bit that serves several query heads counts once. All throw
// Error(bad_option) where the geometry does not fit the system: SparQ's r beyond d_h, KVQuant's 16-bit index
// beyond 65536 channels, AATC's head groups that do not divide the KV heads.

/// What an attention call over t >= 1 cached tokens reads, its own token included: what it touches of the
/// cache, and one load of the layer's calibration and decoder tables. ReadKV's budgets are B_K = floor(R_K G
/// d_h) and B_V = floor(R_V G t) increments, all spent; its payload is then t B_K + d_h B_V bits.
[[nodiscard]] Cost layer_call_bits(const System& system, const LayerGeometry& layer, long t, long layers = 1);

/// The sum of layer_call_bits over t = first..last (1 <= first <= last), in closed form.
[[nodiscard]] Cost layer_run_bits(const System& system, const LayerGeometry& layer, long first, long last,
                                  long layers = 1);

/// What a layer retains with t >= 1 cached tokens, without what is retained once.
[[nodiscard]] Cost layer_stored_bits(const System& system, const LayerGeometry& layer, long t,
                                     long layers = 1);

/// What each layer retains once, whatever the number of tokens: calibration, SparQ's mean of values.
[[nodiscard]] Cost layer_retained_bits(const System& system, const LayerGeometry& layer);

/// What the model retains once for all its compressed layers: the decoder tables.
[[nodiscard]] Cost model_retained_bits(const System& system, const LayerGeometry& layer);

} // namespace kvproof
