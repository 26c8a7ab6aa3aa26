#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace kvproof::app {

Progress::Progress(std::size_t total, bool quiet)
    : total_(total), shown_(!quiet && isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::begin(std::size_t done, const std::string& what) {
    if (!shown_) return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const std::string left = done == 0
                                 ? ""
                                 : fmt::format(", {:.0f} s left", spent.count() / static_cast<double>(done) *
                                                                      static_cast<double>(total_ - done));
    fmt::print(stderr, "\r\033[K[{}/{}{}] {}", done + 1, total_, left, what);
    std::fflush(stderr);
}

void Progress::step(const std::string& what) {
    if (!shown_) return;
    const std::scoped_lock lock(one_at_a_time_);
    if (++done_ < total_) begin(done_, what);
}

} // namespace kvproof::app
