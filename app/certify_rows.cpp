#include "app/certify_rows.hpp"

#include <fmt/format.h>

#include <iterator>

namespace kvproof::app {

std::string rows_csv(const std::vector<Certified>& rows) {
    std::string out =
        "layer,head,position,tokens,key_bits,value_bits,error_sq,output_sq,logit_error_sq,A_K,A_V,S_K,S_V,"
        "gamma_K,gamma_V,kappa_K,kappa_V,centre_norm_sq,bound,sharp_bound\n";
    const auto to = std::back_inserter(out);
    for (const Certified& row : rows) {
        fmt::format_to(to, "{},{},{},{}", row.layer, row.head, row.position, row.position + 1);
        if (!row.certified) {
            fmt::format_to(to, ",,,{},{},,,,,,,,,,,,\n", row.error_sq, row.output_sq);
            continue;
        }
        fmt::format_to(to, ",{},{}", row.key_bits, row.value_bits);
        for (const double value : {row.error_sq, row.output_sq, row.logit_error_sq, row.a_k, row.a_v, row.s_k,
                                   row.s_v, row.gamma_k, row.gamma_v, row.kappa_k, row.kappa_v,
                                   row.centre_norm_sq, row.bound, row.sharp_bound})
            fmt::format_to(to, ",{}", value);
        out += '\n';
    }
    return out;
}

} // namespace kvproof::app
