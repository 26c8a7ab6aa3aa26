#include "lib/codec/bulk_encoder.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace kvproof {
namespace {

constexpr std::size_t cells = 1024;

/// With more boundaries in one cell the search, of at most eight steps, is nearly as good.
constexpr std::size_t most_in_cell = 2;

void require_sizes(std::size_t found, std::size_t expected) {
    if (found != expected)
        throw Error(ErrorCode::internal, "encode: found " + std::to_string(found) + " entries, expected " +
                                             std::to_string(expected));
}

template <class Block>
[[noreturn]] void refuse_nan(const Block& z, std::size_t from) {
    const auto at = std::ranges::find_if(z, [](double x) { return std::isnan(x); }) - z.begin();
    throw Error(ErrorCode::internal,
                "encode: found NaN at " + std::to_string(from + at) + ", expected a number");
}

double standard(double x, double mu, double sigma) {
    return sigma == 0 ? 0.0 : (x - mu) / sigma;
}

} // namespace

BulkEncoder::BulkEncoder(const Codebook<float>& codebook) : depth_(codebook.depth()) {
    if (depth_ < 1 || depth_ > 8)
        throw Error(ErrorCode::internal, "bulk encoder: found a codebook of depth " + std::to_string(depth_) +
                                             ", expected 1 to 8");
    boundaries_.assign(codebook.boundaries.back().begin(), codebook.boundaries.back().end());
    make_grid();
}

std::size_t BulkEncoder::cell_of(double z) const {
    const double cell = (z - lowest_) * cells_per_unit_;
    // by way of int, for which processors have an instruction; NaN gives 0
    return static_cast<std::size_t>(
        static_cast<int>(std::min(std::max(0.0, cell), static_cast<double>(cells - 1))));
}

void BulkEncoder::make_grid() {
    lowest_ = boundaries_.front();
    cells_per_unit_ = static_cast<double>(cells) / (boundaries_.back() - lowest_);
    if (!std::isfinite(cells_per_unit_)) return; // a single boundary
    std::vector<std::size_t> counts(cells);
    for (const double b : boundaries_) ++counts[cell_of(b)];
    in_cell_ = std::ranges::max(counts);
    if (in_cell_ > most_in_cell) return;
    std::size_t below = 0;
    for (const std::size_t count : counts) {
        below_cell_.push_back(static_cast<std::uint8_t>(below));
        below += count;
    }
    boundaries_.insert(boundaries_.end(), in_cell_,
                       std::numeric_limits<double>::quiet_NaN()); // z reaches none
}

template <std::size_t in_cell>
void BulkEncoder::by_grid(const Block& z, Codes& codes) const {
    std::array<std::size_t, block_size> cell;
    for (std::size_t m = 0; m < block_size; ++m) cell[m] = cell_of(z[m]);
    for (std::size_t m = 0; m < block_size; ++m) {
        const std::size_t first = below_cell_[cell[m]];
        std::size_t below = first;
        for (std::size_t k = 0; k < in_cell; ++k) below += z[m] >= boundaries_[first + k] ? 1 : 0;
        codes[m] = static_cast<std::uint8_t>(below);
    }
}

void BulkEncoder::by_search(const Block& z, Codes& codes) const {
    std::array<std::size_t, block_size> below{}; // so many boundaries are known not to be above z
    for (std::size_t step = std::size_t{1} << (depth_ - 1); step > 0; step /= 2)
        for (std::size_t m = 0; m < block_size; ++m)
            below[m] +=
                z[m] >= boundaries_[below[m] + step - 1] ? step : 0; // asks the last of the next `step`
    for (std::size_t m = 0; m < block_size; ++m) codes[m] = static_cast<std::uint8_t>(below[m]);
}

template <class Standardise>
void BulkEncoder::encode_blocks(std::size_t n, std::span<std::uint8_t> codes,
                                const Standardise& standardise) const {
    require_sizes(codes.size(), n);
    for (std::size_t from = 0; from < n; from += block_size) {
        const std::size_t count = std::min(block_size, n - from);
        Block z;
        if (count == block_size) {
            for (std::size_t m = 0; m < block_size; ++m) z[m] = standardise(from + m);
        } else {
            z.fill(0);
            for (std::size_t m = 0; m < count; ++m) z[m] = standardise(from + m);
        }
        bool ordered = true;
        for (std::size_t m = 0; m < block_size; ++m) ordered = ordered & (z[m] == z[m]);
        if (!ordered) refuse_nan(z, from);
        Codes found;
        if (below_cell_.empty())
            by_search(z, found);
        else if (in_cell_ == 1)
            by_grid<1>(z, found);
        else
            by_grid<2>(z, found);
        std::copy_n(found.begin(), count, codes.begin() + static_cast<std::ptrdiff_t>(from));
    }
}

void BulkEncoder::encode(std::span<const double> z, std::span<std::uint8_t> codes) const {
    encode_blocks(z.size(), codes, [&](std::size_t i) { return z[i]; });
}

void BulkEncoder::encode_channel(std::span<const double> x, double mu, double sigma,
                                 std::span<std::uint8_t> codes) const {
    encode_blocks(x.size(), codes, [&](std::size_t i) { return standard(x[i], mu, sigma); });
}

void BulkEncoder::encode_token(std::span<const double> x, std::span<const double> mu,
                               std::span<const double> sigma, std::span<std::uint8_t> codes) const {
    require_sizes(mu.size(), x.size());
    require_sizes(sigma.size(), x.size());
    encode_blocks(x.size(), codes, [&](std::size_t i) { return standard(x[i], mu[i], sigma[i]); });
}

} // namespace kvproof
