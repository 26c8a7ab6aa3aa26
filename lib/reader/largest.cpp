#include "lib/reader/largest.hpp"

#include <algorithm>
#include <numeric>

namespace kvproof {

std::vector<int> largest(std::span<const double> numbers, int count) {
    std::vector<int> order(numbers.size());
    std::iota(order.begin(), order.end(), 0);
    const auto end = order.begin() + std::clamp<std::ptrdiff_t>(count, 0, std::ssize(order));
    std::partial_sort(order.begin(), end, order.end(), [&](int a, int b) {
        const double x = numbers[static_cast<std::size_t>(a)];
        const double y = numbers[static_cast<std::size_t>(b)];
        return x != y ? x > y : a < b;
    });
    order.erase(end, order.end());
    std::ranges::sort(order);
    return order;
}

} // namespace kvproof
