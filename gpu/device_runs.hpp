#pragma once
// Work on a device for programs that know nothing of devices: host pointers in, host memory out. Where the
// program was built without nvcc, no_device.cpp stands for all of it and refuses.

#include "gpu/montecarlo/remainder_trials.hpp"
#include "gpu/reader/reader_work.hpp"

#include <memory>
#include <span>

namespace kvproof::gpu {

/// Throws Error(bad_option) where this program has no code for a device, or finds none.
void require_device();

/// Draws trials of the remainder on the device. From any thread; one at a time gets the device.
class RemainderOnDevice {
public:
    explicit RemainderOnDevice(const RemainderTrials& trials);
    RemainderOnDevice(const RemainderOnDevice&) = delete;
    RemainderOnDevice& operator=(const RemainderOnDevice&) = delete;
    ~RemainderOnDevice();

    /// sum_i |r_i| / A_0^3 and max_i |r_i| / A_0^3 of trials first, first + 1, ...: spans of equal length.
    void draw(std::uint64_t first, std::span<double> sums, std::span<double> tops);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Copies a layer to the device and answers calls there; one at a time gets the device.
[[nodiscard]] AnswerCall serve_on_device(const ReaderLayer& layer, const ExactVectors& exact,
                                         std::span<const double> distortions);

} // namespace kvproof::gpu
