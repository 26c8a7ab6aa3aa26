#pragma once

#include <functional>

namespace kvproof::gpu {

/// The median time of a launch in milliseconds, by events of the device, after one launch that is not
/// counted.
[[nodiscard]] double median_milliseconds(const std::function<void()>& launch);

/// What a device can do at most, for the floors of kernels.
struct DeviceLimits {
    double bytes_per_ms;      ///< measured: a large copy, bytes read and written
    double operations_per_ms; ///< 128 lanes a multiprocessor and clock
};
[[nodiscard]] DeviceLimits device_limits();

} // namespace kvproof::gpu
