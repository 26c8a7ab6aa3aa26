#pragma once

#include <string_view>
#include <vector>

namespace kvproof {

/// A step of a solver's trace: a clause that it adds, or one that it will not use again.
struct TraceStep {
    bool deletes = false;
    std::vector<int> literals;
};

/// Reads binary DRAT one step after another: 'a' or 'd', then each literal as 2 |l| + (l < 0) in groups of
/// seven bits, the lowest first, then 0.
class DratTrace {
public:
    explicit DratTrace(std::string_view text) : rest_(text) {}

    /// The next step into `step`; false after the last. Throws Error(internal) on anything else.
    bool next(TraceStep& step);

private:
    std::string_view rest_;
};

} // namespace kvproof
