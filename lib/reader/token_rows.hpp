#pragma once

#include "lib/reader/head_vectors.hpp"

#include <algorithm>
#include <vector>

namespace kvproof {

/// Vectors of several heads as one row for each token: [count, heads d_h] of the tokens first .. first +
/// count - 1 and the heads from `head` on, entry (g - head) d_h + c.
[[nodiscard]] inline std::vector<double> token_rows(const HeadVectors& vectors, int head, int heads,
                                                    int first, int count) {
    std::vector<double> out;
    for (int j = first; j < first + count; ++j)
        for (int g = head; g < head + heads; ++g) {
            const std::span<const double> x = vectors.at(g, j);
            out.insert(out.end(), x.begin(), x.end());
        }
    return out;
}

/// The same way back: the rows become the vectors of these tokens and heads.
inline void put_token_rows(HeadVectors& vectors, int head, int heads, int first,
                           const std::vector<double>& rows, std::size_t dim) {
    const std::size_t width = static_cast<std::size_t>(heads) * dim;
    for (std::size_t j = 0; j < rows.size() / width; ++j)
        for (int g = 0; g < heads; ++g)
            std::copy_n(rows.begin() +
                            static_cast<std::ptrdiff_t>(j * width + static_cast<std::size_t>(g) * dim),
                        dim, vectors.at(head + g, first + static_cast<int>(j)).begin());
}

} // namespace kvproof
