#include "lib/allocate/schedule.hpp"

#include "lib/allocate/allocation_input.hpp"
#include "lib/error.hpp"

#include <algorithm>

namespace kvproof {
namespace {

[[noreturn]] void refuse(const std::string& line) {
    throw Error(ErrorCode::bad_option, line);
}

/// [heads, tokens] to [heads, ceil(tokens / 2)].
template <class Number>
std::vector<Number> pair_weights(std::span<const Number> weights, std::size_t heads) {
    const std::size_t tokens = weights.size() / heads;
    std::vector<Number> out;
    out.reserve(heads * ((tokens + 1) / 2));
    for (std::size_t g = 0; g < heads; ++g) {
        const std::span<const Number> head = weights.subspan(g * tokens, tokens);
        for (std::size_t j = 0; j < tokens; j += 2)
            out.push_back(j + 1 < tokens ? Number(head[j] + head[j + 1]) : head[j]);
    }
    return out;
}

/// [heads, ceil(tokens / 2)] to [heads, tokens].
std::vector<std::uint8_t> token_depths(const std::vector<std::uint8_t>& pairs, std::size_t heads,
                                       std::size_t tokens) {
    std::vector<std::uint8_t> out;
    out.reserve(heads * tokens);
    for (std::size_t g = 0; g < heads; ++g)
        for (std::size_t j = 0; j < tokens; ++j) out.push_back(pairs[g * ((tokens + 1) / 2) + j / 2]);
    return out;
}

/// Spends the minimum depth first, then what is left on the levels behind it. Adds to the schedule's totals.
template <class Number>
void choose_above(unsigned minimum, std::span<const Number> weights, std::span<const Number> gains,
                  std::uint64_t budget, std::span<std::uint8_t> depths, Schedule& schedule,
                  AllocationWorkspace& workspace) {
    const std::uint64_t first = std::uint64_t{minimum} * weights.size();
    if (budget < first)
        refuse("schedule: found a budget of " + std::to_string(budget) + " increments for " +
               std::to_string(weights.size()) + " items, expected at least " + std::to_string(first) +
               ": the minimum depth is " + std::to_string(minimum));
    schedule.requested += budget;
    schedule.spent +=
        first + choose_depths(weights, gains.subspan(minimum), budget - first, depths, workspace);
    for (std::uint8_t& depth : depths) depth = static_cast<std::uint8_t>(depth + minimum);
}

template <class Number>
Schedule prefixes(std::span<const Number> weights, std::size_t heads, std::span<const Number> gains,
                  const Rational& rate, const SchedulePolicy& policy, AllocationWorkspace& workspace) {
    if (heads == 0 || weights.size() % heads != 0)
        throw Error(ErrorCode::internal, "schedule: found " + std::to_string(weights.size()) +
                                             " weights, expected as many for each of " +
                                             std::to_string(heads) + " heads");
    if (policy.minimum > gains.size())
        refuse("schedule: found a minimum depth of " + std::to_string(policy.minimum) +
               ", expected at most the stored depth " + std::to_string(gains.size()));
    const std::size_t tokens = weights.size() / heads;
    std::vector<Number> pairs;
    if (policy.paired) {
        pairs = pair_weights(weights, heads);
        weights = pairs;
    }
    const std::size_t blocks = policy.per_head ? heads : 1;
    const std::size_t size = weights.size() / blocks;
    const std::uint64_t budget = budget_for(rate, size, "mean read depth");
    Schedule out;
    out.depths.resize(weights.size());
    for (std::size_t b = 0; b < blocks; ++b)
        choose_above(policy.minimum, weights.subspan(b * size, size), gains, budget,
                     std::span(out.depths).subspan(b * size, size), out, workspace);
    if (policy.paired) out.depths = token_depths(out.depths, heads, tokens);
    return out;
}

template <class Number>
Schedule two_levels(std::span<const Number> weights, unsigned low, unsigned deep, std::uint64_t budget) {
    if (low >= deep || deep > 255)
        refuse("two-level schedule: found depths " + std::to_string(low) + " and " + std::to_string(deep) +
               ", expected the lower one first, and at most 255");
    require_weights(weights);
    const std::uint64_t n = weights.size();
    if (budget < low * n)
        refuse("two-level schedule: found a budget of " + std::to_string(budget) + " increments for " +
               std::to_string(n) + " items, expected at least " + std::to_string(low * n) +
               ": the lower depth is " + std::to_string(low));
    const std::uint64_t count = std::min(n, (budget - low * n) / (deep - low));
    std::vector<std::uint32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
    const auto before = [&](std::uint32_t i, std::uint32_t j) {
        return weights[i] != weights[j] ? weights[i] > weights[j] : i < j;
    };
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), before);
    Schedule out;
    out.depths.assign(n, static_cast<std::uint8_t>(low));
    for (std::size_t k = 0; k < count; ++k) out.depths[order[k]] = static_cast<std::uint8_t>(deep);
    out.requested = budget;
    out.spent = low * n + count * (deep - low);
    return out;
}

} // namespace

std::uint64_t budget_for(const Rational& rate, std::uint64_t units, const std::string& what) {
    if (rate < 0) refuse(what + ": found " + to_string(rate) + ", expected a number not below 0");
    const Integer budget = floor(Rational(rate * Rational(Integer(units))));
    if (budget >= (Integer(1) << 63))
        refuse(what + ": found " + to_string(rate) + ", expected a budget below 2^63 for " +
               std::to_string(units) + " items");
    return budget.convert_to<std::uint64_t>();
}

Schedule schedule_prefixes(std::span<const float> weights, std::size_t heads, std::span<const float> gains,
                           const Rational& rate, const SchedulePolicy& policy,
                           AllocationWorkspace& workspace) {
    return prefixes(weights, heads, gains, rate, policy, workspace);
}

Schedule schedule_prefixes(std::span<const double> weights, std::size_t heads, std::span<const double> gains,
                           const Rational& rate, const SchedulePolicy& policy,
                           AllocationWorkspace& workspace) {
    return prefixes(weights, heads, gains, rate, policy, workspace);
}

Schedule two_level_schedule(std::span<const float> weights, unsigned low, unsigned deep,
                            std::uint64_t budget) {
    return two_levels(weights, low, deep, budget);
}

Schedule two_level_schedule(std::span<const double> weights, unsigned low, unsigned deep,
                            std::uint64_t budget) {
    return two_levels(weights, low, deep, budget);
}

} // namespace kvproof
