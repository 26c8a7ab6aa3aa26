// ChooseDepths on the device against the heap, in every form that the launcher chooses.
#include "gpu/allocate/choose_depths.hpp"
#include "gpu/allocate/choose_depths_batch.hpp"
#include "gpu/device/device_array.hpp"
#include "tests/allocate/weights.hpp"
#include "tests/gpu/device/check.hpp"

#include <algorithm>
#include <random>

namespace kvproof::gpu {

namespace {

/// A batch on the device and its results.
class DeviceBatch {
public:
    DeviceBatch(std::span<const float> weights, int items, std::span<const float> gains, std::uint32_t budget)
        : items_(items), instances_(static_cast<int>(weights.size()) / items), gains_(gain_table(gains)),
          budget_(budget), weights_(weights), depths_(weights.size()),
          spent_(static_cast<std::size_t>(instances_)), scratch_(choose_depths_scratch(instances_, items)) {}

    void launch() const {
        launch_choose_depths({.weights = weights_.get(),
                              .instances = instances_,
                              .items = items_,
                              .gains = gains_,
                              .budget = budget_,
                              .depths = depths_.get(),
                              .spent = spent_.get(),
                              .scratch = scratch_.get()});
    }
    void poison() {
        depths_.poison();
        spent_.poison();
    }
    [[nodiscard]] std::vector<std::uint8_t> depths() const { return depths_.to_host(); }
    [[nodiscard]] std::vector<std::uint32_t> spent() const { return spent_.to_host(); }
    [[nodiscard]] int instances() const { return instances_; }

private:
    int items_;
    int instances_;
    GainTable gains_;
    std::uint32_t budget_;
    DeviceArray<float> weights_;
    DeviceArray<std::uint8_t> depths_;
    DeviceArray<std::uint32_t> spent_;
    DeviceArray<std::uint32_t> scratch_;
};

/// Whether instance k came out as the heap has it.
bool equals_heap(std::span<const float> weights, std::span<const float> gains, std::uint32_t budget,
                 std::span<const std::uint8_t> depths, std::uint32_t spent) {
    std::vector<std::uint8_t> expected(weights.size());
    AllocationWorkspace workspace;
    const std::uint64_t expected_spent = choose_depths_heap(weights, gains, budget, expected, workspace);
    return expected_spent == spent && std::equal(expected.begin(), expected.end(), depths.begin());
}

void compare_size(Comparison& comparison, std::size_t n, std::size_t instances, std::mt19937_64& next) {
    std::vector<float> weights;
    for (std::size_t k = 0; k < instances; ++k) {
        const std::vector<float> more = test::hard_weights<float>(n, next);
        weights.insert(weights.end(), more.begin(), more.end());
    }
    std::vector<float> gains = test::falling_gains<float>(next);
    gains.resize(std::min<std::size_t>(gains.size(), most_levels));
    const auto budget = static_cast<std::uint32_t>(next() % (n * gains.size() + 2));
    DeviceBatch batch(weights, static_cast<int>(n), gains, budget);
    batch.poison();
    batch.launch();
    const std::vector<std::uint8_t> depths = batch.depths();
    const std::vector<std::uint32_t> spent = batch.spent();
    for (std::size_t k = 0; k < instances; ++k)
        comparison.expect(equals_heap(std::span(weights).subspan(k * n, n), gains, budget,
                                      std::span(depths).subspan(k * n, n), spent[k]),
                          "choose_depths: instance " + std::to_string(k) + " of " + std::to_string(n) +
                              " items, budget " + std::to_string(budget));
}

void compare_refusal(Comparison& comparison, std::size_t n) {
    std::vector<float> weights(3 * n, 1.0F);
    weights[n + n / 2] = -1.0F;
    DeviceBatch batch(weights, static_cast<int>(n), test::lloyd_gains<float>(), 5);
    batch.launch();
    comparison.expect(batch.spent() == std::vector<std::uint32_t>{5, bad_instance, 5},
                      "choose_depths: the refusal of a negative weight");
}

void compare(Comparison& comparison, Size size) {
    std::mt19937_64 next(20260803);
    for (const std::size_t n :
         {1, 31, 32, 33, 128, 129, 256, 257, 512, 513, 3000, 8192, 8193, 40000, 70000}) {
        if (size == Size::quick && n > 3000 && n != 70000) continue;
        const int rounds = size == Size::quick ? 1 : n > 8192 ? 8 : 40;
        for (int round = 0; round < rounds; ++round) compare_size(comparison, n, n > 3000 ? 2 : 9, next);
    }
    for (const std::size_t n : {20, 600}) compare_refusal(comparison, n);
}

/// Squared normals, as of key channels; a part of them over and over, which no thread can know.
std::vector<float> many_weights(std::size_t total) {
    std::mt19937_64 next(5);
    std::normal_distribution<float> normal;
    std::vector<float> out(total);
    const std::size_t fresh = std::min<std::size_t>(total, std::size_t{1} << 22U);
    for (std::size_t i = 0; i < fresh; ++i) {
        const float x = normal(next);
        out[i] = x * x;
    }
    for (std::size_t i = fresh; i < total; ++i) out[i] = out[i - fresh];
    return out;
}

void time(const std::function<void(const Timing&)>& measure, Size size) {
    // An item's operations, about: for each of 8 levels a product, a comparison and a sum in each of 6 counts
    // for the exponent (8 bits, but for those above the largest gain), and four passes over all levels
    // besides, of 3 each; 2 in each of some 12 counts for the mantissa, which end when a candidate separates.
    constexpr double operations = 8 * 3 * (6 + 4) + 2 * 12;
    struct Shape {
        int items;
        int instances;
    };
    for (Shape shape : {Shape{128, 1'000'000}, {512, 250'000}, {8192, 16'000}, {65536, 2'000}}) {
        if (size == Size::quick) shape.instances /= 1000;
        const auto total = static_cast<std::size_t>(shape.items) * static_cast<std::size_t>(shape.instances);
        const DeviceBatch batch(many_weights(total), shape.items, test::lloyd_gains<float>(),
                                static_cast<std::uint32_t>(2 * shape.items));
        measure({.kernel = "choose_depths, B = 2 N",
                 .size = std::to_string(shape.instances) + " x " + std::to_string(shape.items),
                 .bytes = 5.0 * static_cast<double>(total) + 4.0 * shape.instances,
                 .operations = operations * static_cast<double>(total),
                 .launch = [&] { batch.launch(); }});
    }
}

const RegisterCheck registered({.name = "choose_depths", .compare = compare, .time = time});

} // namespace

} // namespace kvproof::gpu
