// The device of a program that was built without nvcc: none.
#include "gpu/device_runs.hpp"

#include "lib/error.hpp"

namespace kvproof::gpu {

struct RemainderOnDevice::State {};

void require_device() {
    throw Error(ErrorCode::no_device,
                "--device: found cuda, expected cpu: this program was built without nvcc "
                "(cmake -DKVPROOF_CUDA=ON)");
}

RemainderOnDevice::RemainderOnDevice(const RemainderTrials& /*trials*/) {
    require_device();
}
RemainderOnDevice::~RemainderOnDevice() = default;
void RemainderOnDevice::draw(std::uint64_t /*first*/, std::span<double> /*sums*/,
                             std::span<double> /*tops*/) {}

AnswerCall serve_on_device(const ReaderLayer& /*layer*/, const ExactVectors& /*exact*/,
                           std::span<const double> /*distortions*/) {
    require_device();
    return {};
}

} // namespace kvproof::gpu
