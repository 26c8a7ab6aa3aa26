#include "lib/reader/sparq_selection.hpp"

#include "lib/reader/largest.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
std::vector<int> sparq_channels(std::span<const double> queries, int dim, int r) {
    const auto d = static_cast<std::size_t>(dim);
    std::vector<double> sums(d);
    for (std::size_t at = 0; at < queries.size(); ++at) sums[at % d] += std::fabs(queries[at]);
    return largest(sums, r);
}

double sparq_logit_factor(std::span<const double> query, std::span<const int> channels) {
    double all = 0;
    for (const double entry : query) all += std::fabs(entry);
    double selected = 0;
    for (const int c : channels) selected += std::fabs(query[static_cast<std::size_t>(c)]);
    if (selected == 0) return 0;
    return 1 / std::sqrt(static_cast<double>(query.size()) * (selected / all));
}

std::vector<int> sparq_tokens(std::span<const double> scores, int k, int local) {
    const int past = static_cast<int>(scores.size()) - 1;
    const int recent = std::min(local, past);
    std::vector<int> out = largest(scores.first(static_cast<std::size_t>(past - recent)), k - recent);
    for (int j = past - recent; j <= past; ++j) out.push_back(j);
    return out;
}

} // namespace kvproof
