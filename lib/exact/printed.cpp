#include "lib/exact/printed.hpp"

#include "lib/error.hpp"

#include <algorithm>

namespace kvproof {

Rational half_unit(std::string_view printed) {
    constexpr std::string_view allowed = "0123456789.eE+-";
    if (printed.find_first_not_of(allowed) != std::string_view::npos)
        throw Error(ErrorCode::bad_number,
                    "found \"" + std::string(printed.substr(0, 60)) + "\", expected a printed decimal");
    (void)parse_rational(printed);
    const std::size_t mark = std::min(printed.find_first_of("eE"), printed.size());
    const std::size_t point = printed.substr(0, mark).find('.');
    const std::size_t decimals = point == std::string_view::npos ? 0 : mark - point - 1;
    const Rational unit =
        mark == printed.size() ? Rational(1) : parse_rational("1" + std::string(printed.substr(mark)));
    return unit / (2 * power(Rational(10), static_cast<long>(decimals)));
}

} // namespace kvproof
