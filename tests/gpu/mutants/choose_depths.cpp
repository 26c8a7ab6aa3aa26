// Exit status 1 where the ChooseDepths body differs from the heap; small, to be compiled once for each mutant
// of it.
#include "tests/gpu/choose_depths_cases.hpp"

#include <random>

using namespace kvproof;
using namespace kvproof::gpu;
using namespace kvproof::test;

namespace {

bool equals_heap(const Instance<float>& instance, std::uint64_t seed) {
    Chosen expected = rubbish(instance);
    try {
        expected = by_heap(instance);
    } catch (const Error&) {
        expected = {std::vector<std::uint8_t>(instance.weights.size(), 0), bad_instance};
    }
    for (const FiberOptions& block : blocks_of(5, seed))
        if (by_fibers(block, instance, in_shared_memory()) != expected ||
            by_fibers_in_registers(block, instance) != expected)
            return false;
    return true;
}

} // namespace

int main() {
    std::mt19937_64 next(1);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Instance<float> instance = device_instance(20, next);
        if (seed % 20 == 0)
            instance.weights[0] = std::numeric_limits<float>::max() * (seed % 40 == 0 ? 1 : -1);
        if (seed % 20 == 5) instance.weights[0] = std::numeric_limits<float>::infinity();
        if (seed % 20 == 0) instance.gains = {2, 1};
        if (!equals_heap(instance, seed)) return 1;
    }
    return 0;
}
