// The remainder's trials on the device against the body on the processor, which the tests compare with the
// experiment's vectorised loop.
#include "gpu/device/device_array.hpp"
#include "gpu/device_runs.hpp"
#include "gpu/montecarlo/remainder.hpp"
#include "gpu/montecarlo/remainder_batch.hpp"
#include "tests/gpu/device/check.hpp"

#include <cstring>

namespace kvproof::gpu {

namespace {

class DeviceTrials {
public:
    DeviceTrials(const RemainderTrials& trials, std::uint64_t first, std::uint32_t count)
        : trials_(trials), first_(first), weights_(remainder_scratch(trials)), sums_(count), tops_(count) {}

    void launch() const {
        launch_remainder({.trials = trials_,
                          .first = first_,
                          .count = static_cast<std::uint32_t>(sums_.size()),
                          .weights = weights_.get(),
                          .sums = sums_.get(),
                          .tops = tops_.get()});
    }
    void poison() {
        weights_.poison();
        sums_.poison();
        tops_.poison();
    }
    [[nodiscard]] std::vector<double> sums() const { return sums_.to_host(); }
    [[nodiscard]] std::vector<double> tops() const { return tops_.to_host(); }

private:
    RemainderTrials trials_;
    std::uint64_t first_;
    DeviceArray<double> weights_;
    DeviceArray<double> sums_;
    DeviceArray<double> tops_;
};

void compare_trials(Comparison& comparison, const RemainderTrials& trials, std::uint32_t count) {
    const std::uint64_t first = (std::uint64_t{1} << 32U) - 100; // the trial's upper word changes
    DeviceTrials device(trials, first, count);
    device.poison();
    device.launch();
    const std::vector<double> sums = device.sums();
    const std::vector<double> tops = device.tops();
    std::vector<double> weights(trials.tokens);
    std::vector<double> drawn_sums(count);
    std::vector<double> drawn_tops(count);
    RemainderOnDevice(trials).draw(first, drawn_sums, drawn_tops);
    comparison.expect(drawn_sums == sums && drawn_tops == tops, "remainder: drawn for the command line");
    long differ = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        double sum = 0;
        double top = 0;
        if (trials.signs)
            remainder_trial<SignNoise>(trials, first + i, weights.data(), 1, sum, top);
        else
            remainder_trial<UniformNoise>(trials, first + i, weights.data(), 1, sum, top);
        differ += std::memcmp(&sum, &sums[i], sizeof sum) == 0 && std::memcmp(&top, &tops[i], sizeof top) == 0
                      ? 0
                      : 1;
    }
    comparison.expect(differ == 0, "remainder: " + std::to_string(differ) + " of " + std::to_string(count) +
                                       " trials of " + std::to_string(trials.tokens) + " tokens");
}

void compare(Comparison& comparison, Size size) {
    const std::uint32_t count = size == Size::quick ? 300 : 20'000;
    for (const bool signs : {true, false}) {
        compare_trials(comparison, {64, 1, 0.25, signs, 9}, count);
        compare_trials(comparison, {1, 1, 1, signs, 0}, 200);
        compare_trials(comparison, {129, 30, 1e-5, signs, ~std::uint64_t{0}}, 200);
        compare_trials(comparison, {257, 0, 0x1p-300, signs, 5}, 130);
    }
}

void time(const std::function<void(const Timing&)>& measure, Size size) {
    for (const bool signs : {true, false}) {
        const RemainderTrials trials{64, 1, 0.25, signs, 0};
        const std::uint32_t count = size == Size::quick ? 1 << 12 : 15'625'000; // 10^9 tokens
        const DeviceTrials device(trials, 0, count);
        // a token: half a pair of normal numbers and its Philox block (some 220), an exponential (40);
        // uniform noise costs three blocks and two series more (480)
        const double operations = (signs ? 260.0 : 740.0) * 64;
        measure({.kernel = signs ? "remainder, signs" : "remainder, uniform",
                 .size = std::to_string(count) + " x 64",
                 .bytes = 16.0 * count,
                 .operations = operations * count,
                 .launch = [&] { device.launch(); }});
    }
}

const RegisterCheck registered({.name = "remainder", .compare = compare, .time = time});

} // namespace

} // namespace kvproof::gpu
