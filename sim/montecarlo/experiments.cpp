#include "lib/error.hpp"
#include "lib/record/quote.hpp"
#include "sim/montecarlo/rows.hpp"

#include <algorithm>

namespace kvproof {

const std::vector<ExperimentRow>& experiments() {
    static const std::vector<ExperimentRow> rows = {
        remainder_row(), white_noise_row(),     key_separation_row(), attention_separation_row(),
        surrogate_row(), quantiser_noise_row(),
    };
    return rows;
}

const ExperimentRow& experiment_row(std::string_view name) {
    const auto at = std::ranges::find(experiments(), name, &ExperimentRow::name);
    if (at != experiments().end()) return *at;
    std::string names;
    for (const ExperimentRow& row : experiments()) names += " " + row.name;
    throw Error(ErrorCode::bad_option, "EXPERIMENT: found " + in_quotes(name) + ", expected one of" + names);
}

} // namespace kvproof
