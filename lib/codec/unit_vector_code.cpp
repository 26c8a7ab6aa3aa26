#include "lib/codec/unit_vector_code.hpp"

#include "lib/codec/half.hpp"

#include <cmath>

namespace kvproof {

double euclidean_norm(std::span<const double> x) {
    double sum = 0;
    for (const double entry : x) sum += entry * entry;
    return std::sqrt(sum);
}

void UnitVectorCode::quantise_direction(std::span<double> unit) const {
    const double root = std::sqrt(static_cast<double>(unit.size()));
    for (double& entry : unit) entry = levels.nearest(entry * root) / root;
    if (!norm_correction) return;
    const double length = euclidean_norm(unit);
    if (length == 0) return;
    for (double& entry : unit) entry /= length;
}

bool UnitVectorCode::quantise(std::span<double> x) const {
    const double norm = euclidean_norm(x);
    if (norm == 0) return false;
    const Half stored = nearest_half(norm);
    for (double& entry : x) entry /= norm;
    transform.apply(x);
    quantise_direction(x);
    transform.apply_inverse(x);
    for (double& entry : x) entry *= stored.value;
    return stored.saturated;
}

} // namespace kvproof
