#include "sim/probe/shapes.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <string>

namespace kvproof {
namespace {

/// Places the outcome's shape below the batch: outcome k of 2^levels.
void append_outcome(const TreeShape& outcome, int levels, std::size_t k, TreeShape& out) {
    const int offset = out.slots();
    int level = 0;
    for (std::size_t q = 0; q < outcome.slot.size(); ++q) {
        while ((std::size_t{2} << static_cast<unsigned>(level)) <= q + 1) ++level;
        const std::size_t place = q + 1 - (std::size_t{1} << static_cast<unsigned>(level));
        const std::size_t p = (std::size_t{1} << static_cast<unsigned>(levels + level)) - 1 +
                              (k << static_cast<unsigned>(level)) + place;
        out.slot[p] = offset + outcome.slot[q];
    }
    out.first.insert(out.first.end(), outcome.first.begin(), outcome.first.end());
}

/// A batch of `levels` levels at the root, its outcomes still to be placed.
TreeShape batch_at_root(int depth, int levels) {
    TreeShape out{std::vector<int>((std::size_t{1} << static_cast<unsigned>(depth)) - 1), {}};
    for (int level = 0; level < levels; ++level) {
        const auto width = std::ptrdiff_t{1} << static_cast<unsigned>(level);
        std::fill_n(out.slot.begin() + width - 1, width, level);
        out.first.push_back(level == 0);
    }
    return out;
}

} // namespace

std::vector<TreeShape> shapes(int depth, int batches) {
    if (batches == 1) return {batch_at_root(depth, depth)};
    std::vector<TreeShape> out;
    for (int levels = 1; levels <= depth - batches + 1; ++levels) {
        const std::vector<TreeShape> below = shapes(depth - levels, std::min(batches - 1, depth - levels));
        std::vector<TreeShape> partial = {batch_at_root(depth, levels)};
        for (std::size_t k = 0; k < std::size_t{1} << static_cast<unsigned>(levels); ++k) {
            if (out.size() + partial.size() * below.size() > most_shapes)
                throw Error(ErrorCode::bad_option,
                            "reading " + std::to_string(depth) + " bits in " + std::to_string(batches) +
                                " batches: found more than " + std::to_string(most_shapes) +
                                " shapes of batches, expected fewer");
            std::vector<TreeShape> longer;
            for (const TreeShape& so_far : partial)
                for (const TreeShape& outcome : below) {
                    longer.push_back(so_far);
                    append_outcome(outcome, levels, k, longer.back());
                }
            partial = std::move(longer);
        }
        out.insert(out.end(), partial.begin(), partial.end());
    }
    return out;
}

} // namespace kvproof
