#pragma once

#include "lib/account/growth.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace kvproof {

/// What a bit of a cache is there for.
enum class CostPart {
    payload,     ///< codes of keys and values, or their 16-bit entries where nothing is compressed
    metadata,    ///< scales, offsets and norms that come with tokens
    outliers,    ///< entries kept aside at 16 bits, each with its index
    residual,    ///< tokens still at 16 bits
    probes,      ///< what is read to select tokens, before they are read
    calibration, ///< means and scales of channels
    tables,      ///< centroids
    mean_state,  ///< a running mean of all values
};
inline constexpr std::size_t part_count = 8;

/// All parts in order, and the name of each: "payload", "mean_state", ...
[[nodiscard]] const std::array<CostPart, part_count>& all_parts();
[[nodiscard]] std::string_view part_name(CostPart part);

/// Bits by part, exactly.
class Cost {
public:
    [[nodiscard]] Integer& operator[](CostPart part) { return bits_[static_cast<std::size_t>(part)]; }
    [[nodiscard]] const Integer& operator[](CostPart part) const {
        return bits_[static_cast<std::size_t>(part)];
    }
    [[nodiscard]] Integer total() const;
    Cost& operator+=(const Cost& other);
    [[nodiscard]] bool operator==(const Cost&) const = default;

private:
    std::array<Integer, part_count> bits_{};
};

[[nodiscard]] Cost operator+(Cost left, const Cost& right);
[[nodiscard]] Cost operator-(const Cost& left, const Cost& right);
[[nodiscard]] Cost operator*(const Integer& factor, Cost cost);

/// `bits` for each unit of a count that grows with the cache length; negative where it is taken off another
/// term.
struct CostTerm {
    CostPart part = CostPart::payload;
    Integer bits;
    Growth growth;
};

/// The cost at one cache length t >= 1, and the sum over lengths 1..t in closed form.
[[nodiscard]] Cost value_at(const std::vector<CostTerm>& terms, long t);
[[nodiscard]] Cost sum_to(const std::vector<CostTerm>& terms, long t);

} // namespace kvproof
