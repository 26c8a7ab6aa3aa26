#pragma once

#include <algorithm>

namespace kvproof {

/// Which tokens a cache keeps whole: the first ones, and a window of the latest. When a call finds the window
/// full, the oldest `step` of it are coded after that call, so it holds latest - step + 1 .. latest tokens
/// from then on. Appending tokens one by one and in bulk are the same: the number of tokens decides alone.
struct TokenWindow {
    int first = 4;
    int latest = 128;
    int step = 16;

    /// How many tokens are codes in a call that sees so many: the tokens first .. first + coded - 1.
    [[nodiscard]] int coded(int tokens) const {
        const int beyond = std::max(tokens - first - latest, 0);
        return (beyond + step - 1) / step * step;
    }
    [[nodiscard]] bool holds(int token, int tokens) const {
        return token < first || token >= first + coded(tokens);
    }
};

} // namespace kvproof
