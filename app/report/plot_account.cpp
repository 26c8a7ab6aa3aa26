#include "app/report/fields.hpp"
#include "app/report/plots.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kvproof::report {

std::string shortened(const std::string& text, int digits) {
    constexpr std::size_t signs = 2; // a sign and a point
    if (text.size() <= static_cast<std::size_t>(digits) + signs && text.find('/') == std::string::npos)
        return text;
    const double value = to_double(text);
    if (!std::isfinite(value)) return text;
    return fmt::format("{:.{}g}", value, digits);
}

Figure account_figure(const AccountResults& results, std::size_t number) {
    Figure out;
    out.id = "account-" + std::to_string(number);
    out.title = "What each system reads and keeps: " + results.model;
    out.caption = fmt::format(
        "Reads over {}, capacity at {} tokens, in percent of an uncompressed 16-bit cache; the digits are "
        "those of the exact fractions, cut.",
        results.run, results.capacity_at);
    out.table.caption = results.model + ", " + results.run;
    out.table.columns = {"system", "reads %", "capacity %"};
    for (const AccountRow& row : results.rows)
        out.table.rows.push_back({row.system, row.reads, row.capacity});
    return out;
}

} // namespace kvproof::report
