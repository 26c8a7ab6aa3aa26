#include "lib/codec/bulk_encoder.hpp"

#include "lib/error.hpp"

#include <array>
#include <string>

namespace kvproof {
namespace {

/// So many searches go on side by side, as none has to wait for another's loads.
constexpr std::size_t block_size = 16;

void require_sizes(std::size_t found, std::size_t expected) {
    if (found != expected)
        throw Error(ErrorCode::internal, "encode: found " + std::to_string(found) + " entries, expected " +
                                             std::to_string(expected));
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
}

template <class Standardise>
void BulkEncoder::encode_blocks(std::size_t n, std::span<std::uint8_t> codes,
                                const Standardise& standardise) const {
    require_sizes(codes.size(), n);
    const double* const boundaries = boundaries_.data();
    const std::size_t half = std::size_t{1} << (depth_ - 1);
    for (std::size_t from = 0; from < n; from += block_size) {
        const std::size_t count = std::min(block_size, n - from);
        std::array<double, block_size> z{};
        for (std::size_t m = 0; m < count; ++m) z[m] = standardise(from + m);
        // `below` boundaries are known not to be above z; the next `step` ones are asked through their last.
        std::array<std::size_t, block_size> below{};
        for (std::size_t step = half; step > 0; step /= 2)
            for (std::size_t m = 0; m < block_size; ++m)
                below[m] += z[m] >= boundaries[below[m] + step - 1] ? step : 0;
        for (std::size_t m = 0; m < count; ++m) {
            if (z[m] != z[m])
                throw Error(ErrorCode::internal,
                            "encode: found NaN at " + std::to_string(from + m) + ", expected a number");
            codes[from + m] = static_cast<std::uint8_t>(below[m]);
        }
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
