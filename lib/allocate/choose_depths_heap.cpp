#include "lib/allocate/allocation_input.hpp"
#include "lib/allocate/choose_depths.hpp"
#include "lib/allocate/gain_key.hpp"

#include <algorithm>

namespace kvproof {
namespace {

using Entry = AllocationWorkspace::Entry;

/// Gain and item as one number or pair: the larger gain, of equal ones the lower item, is the larger. Zero is
/// no entry.
std::uint64_t entry_of(float gain, std::uint32_t item) {
    if (!(gain > 0)) return 0;
    return std::uint64_t{std::bit_cast<std::uint32_t>(gain)} << 32 | (~item & 0xffffffffU);
}

Entry entry_of(double gain, std::uint32_t item) {
    if (!(gain > 0)) return {0, 0};
    return {std::bit_cast<std::uint64_t>(gain), ~item};
}

std::uint32_t item_of(std::uint64_t entry) {
    return ~static_cast<std::uint32_t>(entry);
}

std::uint32_t item_of(const Entry& entry) {
    return ~static_cast<std::uint32_t>(entry.order);
}

bool is_none(std::uint64_t entry) {
    return entry == 0;
}

bool is_none(const Entry& entry) {
    return entry.gain == 0;
}

/// Puts `entry` in the place of the largest of a heap, [0, size). Which child is the larger no processor can
/// foresee, so that choice is no branch.
template <class E>
void replace_top(std::vector<E>& heap, std::size_t size, const E& entry) {
    E* const at = heap.data();
    std::size_t parent = 0;
    std::size_t child = 1;
    for (; child + 1 < size; child = 2 * parent + 1) {
        child += static_cast<std::size_t>(at[child] < at[child + 1]);
        if (!(entry < at[child])) break;
        at[parent] = at[child];
        parent = child;
    }
    if (child + 1 == size && entry < at[child]) {
        at[parent] = at[child];
        parent = child;
    }
    at[parent] = entry;
}

template <class Number, class E>
std::uint64_t by_heap(std::span<const Number> weights, std::span<const Number> gains, std::uint64_t budget,
                      std::span<std::uint8_t> depths, std::vector<E>& heap) {
    require_gains(weights, gains, std::span<const std::uint8_t>(depths));
    require_weights(weights);
    if (!weights.empty()) require_finite_products(std::ranges::max(weights), gains);
    std::ranges::fill(depths, std::uint8_t{0});
    heap.clear();
    if (gains.empty()) return 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const E entry = entry_of(Number(weights[i] * gains[0]), static_cast<std::uint32_t>(i));
        if (!is_none(entry)) heap.push_back(entry);
    }
    std::make_heap(heap.begin(), heap.end());
    std::size_t size = heap.size();
    std::uint64_t spent = 0;
    while (spent < budget && size > 0) {
        const std::uint32_t item = item_of(heap[0]);
        const std::size_t depth = ++depths[item];
        ++spent;
        E next = depth < gains.size() ? entry_of(Number(weights[item] * gains[depth]), item) : E{};
        if (is_none(next)) next = heap[--size];
        if (size > 0) replace_top(heap, size, next);
    }
    return spent;
}

} // namespace

std::uint64_t choose_depths_heap(std::span<const float> weights, std::span<const float> gains,
                                 std::uint64_t budget, std::span<std::uint8_t> depths,
                                 AllocationWorkspace& workspace) {
    return by_heap(weights, gains, budget, depths, workspace.heap32);
}

std::uint64_t choose_depths_heap(std::span<const double> weights, std::span<const double> gains,
                                 std::uint64_t budget, std::span<std::uint8_t> depths,
                                 AllocationWorkspace& workspace) {
    return by_heap(weights, gains, budget, depths, workspace.heap64);
}

} // namespace kvproof
