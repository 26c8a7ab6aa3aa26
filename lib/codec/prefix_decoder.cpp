#include "lib/codec/prefix_decoder.hpp"

#include "lib/error.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr int deepest = 8; // a code is one byte

} // namespace

PrefixDecoder::PrefixDecoder(const Codebook<float>& codebook, int t) {
    const int stored = codebook.depth();
    if (t < 0 || t > stored || stored > deepest)
        throw Error(ErrorCode::depth_out_of_range, "decode: found depth " + std::to_string(t) + " of " +
                                                       std::to_string(stored) + ", expected 0 to " +
                                                       std::to_string(std::min(stored, deepest)));
    const std::uint32_t codes = 1U << static_cast<unsigned>(stored);
    for (std::uint32_t code = 0; code < codes; ++code) centroids_.push_back(decode(codebook, code, t));
}

void PrefixDecoder::require(std::span<const std::uint8_t> codes, std::size_t numbers,
                            std::size_t channels) const {
    if (codes.size() != numbers || codes.size() != channels)
        throw Error(ErrorCode::internal, "decode: found " + std::to_string(numbers) + " numbers and " +
                                             std::to_string(channels) + " channels for " +
                                             std::to_string(codes.size()) + " codes");
    const auto bad =
        std::ranges::find_if(codes, [this](std::uint8_t code) { return code >= centroids_.size(); });
    if (bad != codes.end())
        throw Error(ErrorCode::bad_option, "codes: found " + std::to_string(*bad) + " at " +
                                               std::to_string(bad - codes.begin()) +
                                               ", expected codes below " + std::to_string(centroids_.size()));
}

void PrefixDecoder::decode_channel(std::span<const std::uint8_t> codes, double mu, double sigma,
                                   std::span<double> out) const {
    require(codes, out.size(), codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) out[i] = mu + sigma * centroids_[codes[i]];
}

void PrefixDecoder::decode_token(std::span<const std::uint8_t> codes, std::span<const double> mu,
                                 std::span<const double> sigma, std::span<double> out) const {
    require(codes, out.size(), std::min(mu.size(), sigma.size()));
    for (std::size_t c = 0; c < codes.size(); ++c) out[c] = mu[c] + sigma[c] * centroids_[codes[c]];
}

} // namespace kvproof
