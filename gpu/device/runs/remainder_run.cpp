#include "gpu/device/runs/copies.hpp"
#include "gpu/device_runs.hpp"
#include "gpu/montecarlo/remainder_batch.hpp"

#include <algorithm>
#include <mutex>

namespace kvproof::gpu {

namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 20U;

} // namespace

struct RemainderOnDevice::State {
    explicit State(const RemainderTrials& drawn) : trials(drawn), weights(remainder_scratch(drawn)) {}

    RemainderTrials trials;
    DeviceArray<double> weights;
    DeviceArray<double> sums{most_at_once};
    DeviceArray<double> tops{most_at_once};
    std::mutex one_at_a_time;
};

RemainderOnDevice::RemainderOnDevice(const RemainderTrials& trials)
    : state_(std::make_unique<State>(trials)) {}
RemainderOnDevice::~RemainderOnDevice() = default;

void RemainderOnDevice::draw(std::uint64_t first, std::span<double> sums, std::span<double> tops) {
    State& state = *state_;
    const std::scoped_lock lock(state.one_at_a_time);
    for (std::size_t begin = 0; begin < sums.size(); begin += most_at_once) {
        const std::size_t count = std::min(most_at_once, sums.size() - begin);
        launch_remainder({.trials = state.trials,
                          .first = first + begin,
                          .count = static_cast<std::uint32_t>(count),
                          .weights = state.weights.get(),
                          .sums = state.sums.get(),
                          .tops = state.tops.get()});
        read_from(state.sums, sums.subspan(begin, count));
        read_from(state.tops, tops.subspan(begin, count));
    }
}

} // namespace kvproof::gpu
