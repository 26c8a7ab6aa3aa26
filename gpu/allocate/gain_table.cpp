#include "gpu/allocate/gain_table.hpp"

#include "lib/error.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace kvproof::gpu {

GainTable gain_table(std::span<const float> gains) {
    if (gains.size() > most_levels)
        throw Error(ErrorCode::internal, "allocation: found " + std::to_string(gains.size()) +
                                             " levels, a device takes at most " +
                                             std::to_string(most_levels));
    GainTable table{};
    float before = std::numeric_limits<float>::max();
    for (std::size_t t = 0; t < gains.size(); ++t) {
        if (!(gains[t] >= 0 && gains[t] <= before))
            throw Error(ErrorCode::bad_weight,
                        "gains[" + std::to_string(t) +
                            "]: found a number that is not finite, is below 0 or above the gain before it, "
                            "expected gains that do not rise");
        table.gain[t] = before = gains[t] + 0.0F;
    }
    return table;
}

} // namespace kvproof::gpu
