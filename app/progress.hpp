#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace kvproof::app {

/// A progress line on stderr with an estimate of the time left; silent unless stderr is a terminal.
class Progress {
public:
    Progress(std::size_t total, bool quiet);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress(); // clears the line

    /// Item number `done` (from 0) begins.
    void begin(std::size_t done, const std::string& what);
    /// One more item is done; from any thread.
    void step(const std::string& what);

private:
    std::size_t total_;
    bool shown_;
    std::mutex one_at_a_time_;
    std::size_t done_ = 0;
    std::chrono::steady_clock::time_point start_;
};

} // namespace kvproof::app
