#pragma once

#include "lib/allocate/choose_depths.hpp"
#include "lib/exact/rational.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kvproof {

/// The depth to which each item is read, and the increments asked for and spent.
struct Schedule {
    std::vector<std::uint8_t> depths;
    std::uint64_t requested = 0;
    std::uint64_t spent = 0; ///< sum of depths; with pairs: of the depths of pairs, padding included
};

/// floor(rate * units), exactly; `what` names the rate in the line of Error(bad_option) for a negative rate,
/// or one for which the budget is not below 2^63.
[[nodiscard]] std::uint64_t budget_for(const Rational& rate, std::uint64_t units, const std::string& what);

/// What restricts a reader's schedules (ReadKV F.8); none of it is ReadKV 3.3.
struct SchedulePolicy {
    unsigned minimum = 0;  ///< every item gets this depth first, out of the same budget
    bool per_head = false; ///< each head has the budget floor(R n); else all share floor(R G n)
    bool paired = false;   ///< tokens 2j and 2j + 1 of a head share a depth
};

/// Depths for the items of `heads` heads with equally many items each, weights [heads, n] row-major, at a
/// mean depth of `rate`, by choose_depths on the gains [W].
///
/// With pairs an item is a pair of neighbours counted from the head's first token, its weight the sum of the
/// two, rounded once; an odd last token is paired with padding, which is charged: n is ceil(tokens / 2) in
/// the budgets, and one increment is one level of a pair. The depths come out for tokens [heads, tokens].
///
/// Throws as choose_depths, and Error(bad_option) where a budget does not cover the minimum depth, or the
/// minimum exceeds W. A budget is requested for each head or for all; `requested` is their sum.
[[nodiscard]] Schedule schedule_prefixes(std::span<const float> weights, std::size_t heads,
                                         std::span<const float> gains, const Rational& rate,
                                         const SchedulePolicy& policy, AllocationWorkspace& workspace);
[[nodiscard]] Schedule schedule_prefixes(std::span<const double> weights, std::size_t heads,
                                         std::span<const double> gains, const Rational& rate,
                                         const SchedulePolicy& policy, AllocationWorkspace& workspace);

/// The two-depth control (ReadKV F.6): depth `deep` for the floor((B - low N) / (deep - low)) items of
/// largest weight, equal weights in the order of items, and `low` for the rest, B = `budget`. Weights of 0
/// count too. Throws Error(bad_weight) on bad weights and Error(bad_option) unless low < deep <= 255 and B >=
/// low N.
[[nodiscard]] Schedule two_level_schedule(std::span<const float> weights, unsigned low, unsigned deep,
                                          std::uint64_t budget);
[[nodiscard]] Schedule two_level_schedule(std::span<const double> weights, unsigned low, unsigned deep,
                                          std::uint64_t budget);

} // namespace kvproof
