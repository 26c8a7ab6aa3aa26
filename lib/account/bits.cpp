#include "lib/account/bits.hpp"

#include "lib/account/rules.hpp"

namespace kvproof {

Cost layer_call_bits(const System& system, const LayerGeometry& layer, long t) {
    const Charges charges = charges_of(system, layer);
    return value_at(charges.read, t) + charges.layer_once + charges.model_once;
}

Cost layer_run_bits(const System& system, const LayerGeometry& layer, long first, long last) {
    const Charges charges = charges_of(system, layer);
    const Integer calls = Integer(last) - first + 1;
    return sum_to(charges.read, last) - sum_to(charges.read, first - 1) +
           calls * (charges.layer_once + charges.model_once);
}

Cost layer_stored_bits(const System& system, const LayerGeometry& layer, long t) {
    return value_at(charges_of(system, layer).stored, t);
}

Cost layer_retained_bits(const System& system, const LayerGeometry& layer) {
    return charges_of(system, layer).layer_once;
}

Cost model_retained_bits(const System& system, const LayerGeometry& layer) {
    return charges_of(system, layer).model_once;
}

} // namespace kvproof
