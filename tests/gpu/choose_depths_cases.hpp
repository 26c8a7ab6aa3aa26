#pragma once
// Instances of ChooseDepths for the kernel's body, and the body on every executor.

#include "gpu/allocate/choose_depths.hpp"
#include "gpu/allocate/register_items.hpp"
#include "gpu/allocate/scratch_items.hpp"
#include "tests/allocate/weights.hpp"
#include "tests/gpu/executors.hpp"

namespace kvproof::test {

/// One that a device takes: at most 8 levels.
template <class Next>
Instance<float> device_instance(std::size_t largest, Next&& next) {
    Instance<float> instance = hard_instance<float>(largest, next);
    if (instance.gains.size() > gpu::most_levels) instance.gains.resize(gpu::most_levels);
    return instance;
}

/// The body on one group: fills the depths that belong to it, and the number spent.
template <class MakeItems>
auto solver(const Instance<float>& instance, Chosen& out, const MakeItems& make_items) {
    const gpu::GainTable table = gpu::gain_table(instance.gains);
    return [&instance, &out, table, make_items](auto& g) {
        auto items = make_items(g, static_cast<int>(instance.weights.size()));
        const std::uint32_t spent =
            gpu::choose_depths(g, items, instance.weights.data(), table,
                               static_cast<std::uint32_t>(instance.budget), out.depths.data());
        if (g.rank() == 0) out.spent = spent;
    };
}

inline Chosen rubbish(const Instance<float>& instance) {
    return {std::vector<std::uint8_t>(instance.weights.size(), 99), 99};
}

inline auto in_shared_memory() {
    return [](auto& g, int n) { return gpu::ScratchItems(g.template shared<std::uint32_t>(n), n); };
}

template <int Count>
auto in_registers() {
    return [](auto& g, int n) { return gpu::RegisterItems<Count>(g, n); };
}

template <class MakeItems>
Chosen by_serial(const Instance<float>& instance, const MakeItems& make_items) {
    Chosen out = rubbish(instance);
    run_serial(instance.weights.size() * 4, solver(instance, out, make_items));
    return out;
}

template <class MakeItems>
Chosen by_fibers(const gpu::FiberOptions& block, const Instance<float>& instance,
                 const MakeItems& make_items) {
    Chosen out = rubbish(instance);
    run_block(block, solver(instance, out, make_items));
    return out;
}

/// With the fewest registers that hold an instance of n <= 128 items.
inline Chosen by_fibers_in_registers(const gpu::FiberOptions& block, const Instance<float>& instance) {
    const int share = (static_cast<int>(instance.weights.size()) + block.width - 1) / block.width;
    if (share <= 1) return by_fibers(block, instance, in_registers<1>());
    if (share <= 4) return by_fibers(block, instance, in_registers<4>());
    if (share <= 16) return by_fibers(block, instance, in_registers<16>());
    return by_fibers(block, instance, in_registers<128>());
}

} // namespace kvproof::test
