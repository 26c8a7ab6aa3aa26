#include "lib/account/cost.hpp"

namespace kvproof {

const std::array<CostPart, part_count>& all_parts() {
    using enum CostPart;
    static const std::array<CostPart, part_count> parts = {payload, metadata,    outliers, residual,
                                                           probes,  calibration, tables,   mean_state};
    return parts;
}

std::string_view part_name(CostPart part) {
    static constexpr std::array<std::string_view, part_count> names = {
        "payload", "metadata", "outliers", "residual", "probes", "calibration", "tables", "mean_state"};
    return names[static_cast<std::size_t>(part)];
}

Integer Cost::total() const {
    Integer sum = 0;
    for (const Integer& bits : bits_) sum += bits;
    return sum;
}

Cost& Cost::operator+=(const Cost& other) {
    for (std::size_t i = 0; i < part_count; ++i) bits_[i] += other.bits_[i];
    return *this;
}

Cost operator+(Cost left, const Cost& right) {
    left += right;
    return left;
}

Cost operator-(const Cost& left, const Cost& right) {
    return left + Integer(-1) * right;
}

Cost operator*(const Integer& factor, Cost cost) {
    for (const CostPart part : all_parts()) cost[part] *= factor;
    return cost;
}

Cost value_at(const std::vector<CostTerm>& terms, long t) {
    Cost cost;
    for (const CostTerm& term : terms) cost[term.part] += term.bits * value_at(term.growth, t);
    return cost;
}

Cost sum_to(const std::vector<CostTerm>& terms, long t) {
    Cost cost;
    for (const CostTerm& term : terms) cost[term.part] += term.bits * sum_to(term.growth, t);
    return cost;
}

} // namespace kvproof
