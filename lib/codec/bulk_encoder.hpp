#pragma once

#include "lib/codec/codebook.hpp"

#include <array>
#include <span>

namespace kvproof {

/// Encodes many numbers by a codebook of at most 8 levels: the codes of encode() in codebook.hpp, as the
/// number of boundaries that are not above z, found by a binary search without branches. Comparisons are
/// exact: z is a double, and every binary32 boundary is one too.
///
/// z = (x - mu) / sigma, each operation rounded once. A channel of scale 0 holds nothing but its mean: its z
/// is 0, whatever x is, and with sigma = 0 every prefix of any code reconstructs mu + sigma z^ = mu.
class BulkEncoder {
public:
    /// Throws Error(internal) unless the codebook, which is valid, has 1 to 8 levels.
    explicit BulkEncoder(const Codebook<float>& codebook);

    [[nodiscard]] int depth() const { return depth_; }

    /// The codes of z. Throws Error(internal), naming the first, on NaN, and where sizes disagree.
    void encode(std::span<const double> z, std::span<std::uint8_t> codes) const;

    /// The codes of one channel's x. sigma >= 0; x, mu and sigma are finite. Throws as above.
    void encode_channel(std::span<const double> x, double mu, double sigma,
                        std::span<std::uint8_t> codes) const;

    /// The codes of one token: channel c of x by mu[c] and sigma[c].
    void encode_token(std::span<const double> x, std::span<const double> mu, std::span<const double> sigma,
                      std::span<std::uint8_t> codes) const;

private:
    /// So many numbers side by side: none has to wait for another's loads.
    static constexpr std::size_t block_size = 16;
    using Block = std::array<double, block_size>;
    using Codes = std::array<std::uint8_t, block_size>;

    void make_grid();
    template <std::size_t in_cell>
    void by_grid(const Block& z, Codes& codes) const;
    void by_search(const Block& z, Codes& codes) const;
    [[nodiscard]] std::size_t cell_of(double z) const;
    template <class Standardise>
    void encode_blocks(std::size_t n, std::span<std::uint8_t> codes, const Standardise& standardise) const;

    int depth_;
    std::vector<double> boundaries_;       ///< 2^depth - 1, ascending; then, for the grid, NaNs
    std::vector<std::uint8_t> below_cell_; ///< how many boundaries lie in lower cells; empty without a grid
    std::size_t in_cell_ = 0;              ///< the most boundaries of a cell
    double lowest_ = 0;
    double cells_per_unit_ = 0;
};

} // namespace kvproof
