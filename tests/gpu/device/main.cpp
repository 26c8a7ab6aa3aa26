// kvproof-gpu-check [compare|quick|time]: runs every kernel on the device and compares it with the processor,
// bit for bit (quick: on little data), or times it and prints a table. Exit status: 0; 1 where something
// differs; 2 usage; 3 where the device fails; 77 where there is none.
#include "gpu/device/require_cuda.hpp"
#include "tests/gpu/device/check.hpp"
#include "tests/gpu/device/stopwatch.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

using namespace kvproof;
using namespace kvproof::gpu;

namespace kvproof::gpu {

void Comparison::expect(bool equal, const std::string& what) {
    if (equal) {
        ++passed_;
        return;
    }
    if (++failed_ <= 20) std::printf("DIFFERS: %s\n", what.c_str());
}

std::vector<DeviceCheck>& device_checks() {
    static std::vector<DeviceCheck> checks;
    return checks;
}

} // namespace kvproof::gpu

namespace {

int compare_all(Size size) {
    long failed = 0;
    for (const DeviceCheck& check : device_checks()) {
        Comparison comparison;
        check.compare(comparison, size);
        require_cuda(cudaDeviceSynchronize(), check.name);
        std::printf("%-16s %8ld comparisons equal, %ld differ\n", check.name.c_str(), comparison.passed(),
                    comparison.failed());
        // a check that compares nothing is none
        failed += comparison.failed() + (comparison.passed() == 0 ? 1 : 0);
    }
    return failed == 0 ? 0 : 1;
}

void time_all(Size size) {
    const DeviceLimits limits = device_limits();
    std::printf("copy %.2f TB/s, %.1f T operations/s at the nominal clock; floor: the longer of bytes and "
                "operations at these rates\n",
                limits.bytes_per_ms * 1e-9, limits.operations_per_ms * 1e-9);
    std::printf("%-28s %-18s %9s %9s %9s %9s %9s %6s\n", "kernel", "size", "ms", "GB", "Gop", "floor ms",
                "of", "ratio");
    for (const DeviceCheck& check : device_checks()) {
        if (check.time == nullptr) continue;
        check.time(
            [&](const Timing& row) {
                const double ms = median_milliseconds(row.launch);
                const double by_bytes = row.bytes / limits.bytes_per_ms;
                const double by_operations = row.operations / limits.operations_per_ms;
                const double floor = std::max(by_bytes, by_operations);
                std::printf("%-28s %-18s %9.3f %9.3f %9.2f %9.3f %9s %6.2f\n", row.kernel.c_str(),
                            row.size.c_str(), ms, row.bytes * 1e-9, row.operations * 1e-9, floor,
                            by_bytes >= by_operations ? "bytes" : "ops", ms / floor);
            },
            size);
    }
}

int run(std::string_view mode) {
    int devices = 0;
    const cudaError_t found = cudaGetDeviceCount(&devices);
    if (found != cudaSuccess || devices == 0) {
        std::printf("no CUDA device: %s\n", cudaGetErrorString(found));
        return 77;
    }
    cudaDeviceProp properties;
    require_cuda(cudaGetDeviceProperties(&properties, 0), "device");
    std::printf("%s, sm_%d%d, %d multiprocessors\n", properties.name, properties.major, properties.minor,
                properties.multiProcessorCount);
    std::ranges::sort(device_checks(), {}, &DeviceCheck::name);
    if (mode == "time" || mode == "quick-time") {
        time_all(mode == "time" ? Size::full : Size::quick);
        return 0;
    }
    return compare_all(mode == "quick" ? Size::quick : Size::full);
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view mode = argc > 1 ? argv[1] : "compare";
    constexpr std::string_view modes[] = {"compare", "quick", "time", "quick-time"};
    if (argc > 2 || std::ranges::find(modes, mode) == std::end(modes)) {
        std::fprintf(stderr, "usage: kvproof-gpu-check [compare|quick|time|quick-time]\n");
        return 2;
    }
    try {
        return run(mode);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kvproof-gpu-check: %s\n", error.what());
        return 3;
    }
}
