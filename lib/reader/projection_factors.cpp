#include "lib/reader/projection_factors.hpp"

namespace kvproof {

WhitenedSvd projection_factors(const InputRoot& root, const Tensor& projection, std::size_t first,
                               std::size_t width) {
    std::vector<double> columns;
    for (std::size_t at = first; at < projection.values.size(); at += projection.shape[1])
        columns.insert(columns.end(), projection.values.begin() + static_cast<std::ptrdiff_t>(at),
                       projection.values.begin() + static_cast<std::ptrdiff_t>(at + width));
    return whitened_svd(root, columns, width);
}

} // namespace kvproof
