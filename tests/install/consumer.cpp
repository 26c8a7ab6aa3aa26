// What a stranger who installed the library would write first. It uses exact numbers (GMP), an enclosure
// (MPFR) and a thrown error, so that headers and every library are needed.
#include "lib/error.hpp"
#include "lib/exact/decimal.hpp"
#include "lib/exact/interval.hpp"
#include "lib/exact/rational.hpp"

#include <cstdio>

int main() {
    using namespace kvproof;
    const Rational tenth = parse_rational("0.1");
    try {
        (void)parse_rational("0.1.2");
        return 1;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_number) return 2;
    }
    const bool below = less(Interval(tenth, 64), pi(64)) == Truth::yes;
    std::printf("%s %s %s in a stranger\n", to_string(tenth).c_str(), shared_decimal(pi(64), 6).c_str(),
                below ? "proved" : "undecided");
}
