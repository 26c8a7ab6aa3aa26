#pragma once

#include "lib/codec/codebook.hpp"

#include <span>
#include <vector>

namespace kvproof {

/// Decodes the first t bits of many codes: mu + sigma Q_t, each product and sum rounded to double. What a
/// reader reconstructs from a prefix of depth t; t = 0 gives mu + sigma Q_0 whatever the codes are.
class PrefixDecoder {
public:
    /// Throws Error(depth_out_of_range) unless 0 <= t <= codebook.depth() <= 8.
    PrefixDecoder(const Codebook<float>& codebook, int t);

    /// The numbers of one channel. Throws Error(bad_option), naming the first, on a code that the codebook
    /// does not have, and Error(internal) where sizes disagree.
    void decode_channel(std::span<const std::uint8_t> codes, double mu, double sigma,
                        std::span<double> out) const;

    /// The numbers of one token: channel c by mu[c] and sigma[c]. Throws as above.
    void decode_token(std::span<const std::uint8_t> codes, std::span<const double> mu,
                      std::span<const double> sigma, std::span<double> out) const;

private:
    void require(std::span<const std::uint8_t> codes, std::size_t numbers, std::size_t channels) const;

    std::vector<double> centroids_; ///< by the whole code: all that share a prefix have the same one
};

} // namespace kvproof
