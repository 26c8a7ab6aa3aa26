#include "tests/gpu/device/stopwatch.hpp"

#include "gpu/device/device_array.hpp"

#include <algorithm>
#include <vector>

namespace kvproof::gpu {

namespace {

class Event {
public:
    Event() { require_cuda(cudaEventCreate(&event_), "event"); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record() { require_cuda(cudaEventRecord(event_), "event"); }
    [[nodiscard]] double milliseconds_since(const Event& begin) const {
        require_cuda(cudaEventSynchronize(event_), "event");
        float ms = 0;
        require_cuda(cudaEventElapsedTime(&ms, begin.event_, event_), "event");
        return double{ms};
    }

private:
    cudaEvent_t event_ = nullptr;
};

int attribute(cudaDeviceAttr which) {
    int value = 0;
    require_cuda(cudaDeviceGetAttribute(&value, which, 0), "device");
    return value;
}

} // namespace

double median_milliseconds(const std::function<void()>& launch) {
    constexpr double enough = 400;
    launch();
    require_cuda(cudaDeviceSynchronize(), "launch");
    std::vector<double> times;
    double sum = 0;
    while (times.size() < 5 || (times.size() < 50 && sum < enough)) {
        Event begin;
        Event end;
        begin.record();
        launch();
        end.record();
        times.push_back(end.milliseconds_since(begin));
        sum += times.back();
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

DeviceLimits device_limits() {
    constexpr std::size_t bytes = std::size_t{1} << 30U;
    const DeviceArray<char> from(bytes);
    const DeviceArray<char> to(bytes);
    const double ms = median_milliseconds([&] {
        require_cuda(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice), "copy");
    });
    const double kilohertz = attribute(cudaDevAttrClockRate);
    return {.bytes_per_ms = 2.0 * static_cast<double>(bytes) / ms,
            .operations_per_ms = 128.0 * attribute(cudaDevAttrMultiProcessorCount) * kilohertz};
}

} // namespace kvproof::gpu
