#include "lib/account/bits.hpp"

#include "lib/account/rules.hpp"

namespace kvproof {

namespace {

/// The terms of so many layers.
std::vector<CostTerm> together(std::vector<CostTerm> terms, const std::vector<SharedTerm>& shared,
                               long layers) {
    for (CostTerm& term : terms) term.bits *= layers;
    for (const SharedTerm& term : shared) {
        const Integer bits = floor(Rational(layers * abs(term.bits)));
        terms.push_back({term.part, term.bits < 0 ? Integer(-bits) : bits, term.growth});
    }
    return terms;
}

} // namespace

Cost layer_call_bits(const System& system, const LayerGeometry& layer, long t, long layers) {
    const Charges charges = charges_of(system, layer);
    return value_at(together(charges.read, charges.shared, layers), t) +
           Integer(layers) * (charges.layer_once + charges.model_once);
}

Cost layer_run_bits(const System& system, const LayerGeometry& layer, long first, long last, long layers) {
    const Charges charges = charges_of(system, layer);
    const std::vector<CostTerm> read = together(charges.read, charges.shared, layers);
    const Integer calls = Integer(layers) * (Integer(last) - first + 1);
    return sum_to(read, last) - sum_to(read, first - 1) + calls * (charges.layer_once + charges.model_once);
}

Cost layer_stored_bits(const System& system, const LayerGeometry& layer, long t, long layers) {
    const Charges charges = charges_of(system, layer);
    return value_at(together(charges.stored, charges.shared, layers), t);
}

Cost layer_retained_bits(const System& system, const LayerGeometry& layer) {
    return charges_of(system, layer).layer_once;
}

Cost model_retained_bits(const System& system, const LayerGeometry& layer) {
    return charges_of(system, layer).model_once;
}

} // namespace kvproof
