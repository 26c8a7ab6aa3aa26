#pragma once

namespace kvproof::portable {

/// 1/3!, 1/4!, ...: the series of (e^x - 1 - x - x^2/2) / x^3. Each is a quotient of doubles, correctly
/// rounded while the factorial is exact (to 22!). 21 terms leave less than 2^-60 of 1/6 for |x| <= 2.
template <int terms>
struct ExpTail {
    double at[terms] = {};

    constexpr ExpTail() {
        double factorial = 6;
        for (int n = 0; n < terms; ++n) {
            at[n] = 1 / factorial;
            factorial *= n + 4;
        }
    }
};

} // namespace kvproof::portable
