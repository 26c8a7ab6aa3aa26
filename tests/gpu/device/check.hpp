#pragma once
// What the files of this folder share: each checks one kernel on a device against the processor and times it.
// A new kernel adds a file, and nothing else.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace kvproof::gpu {

/// On how much. `quick` is for compute-sanitizer, under which everything takes a hundred times as long, and
/// for the rehearsal.
enum class Size { quick, full };

/// Counts comparisons and prints what differs.
class Comparison {
public:
    /// Prints the first few failures.
    void expect(bool equal, const std::string& what);

    [[nodiscard]] long passed() const { return passed_; }
    [[nodiscard]] long failed() const { return failed_; }

private:
    long passed_ = 0;
    long failed_ = 0;
};

/// One line of the table of times.
struct Timing {
    std::string kernel;
    std::string size;
    double bytes;      ///< read and written, once each
    double operations; ///< 32-bit operations of all threads, counted in the source; an estimate where data
                       ///< decide
    std::function<void()> launch;
};

struct DeviceCheck {
    std::string name;
    void (*compare)(Comparison& comparison, Size size);
    /// Calls measure(timing) for each line; may be null. The data need to live only during the call.
    void (*time)(const std::function<void(const Timing&)>& measure, Size size) = nullptr;
};

/// All checks of the program, in the order of their names.
[[nodiscard]] std::vector<DeviceCheck>& device_checks();

/// As a namespace's constant, adds a check to them.
struct RegisterCheck {
    explicit RegisterCheck(DeviceCheck check) { device_checks().push_back(std::move(check)); }
};

} // namespace kvproof::gpu
