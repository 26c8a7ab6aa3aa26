#include "lib/reader/palu_code.hpp"

#include "lib/codec/uniform_group.hpp"

#include <vector>

namespace kvproof {

std::uint64_t PaluCode::quantise(std::span<double> rows) const {
    const std::size_t width = factors.width;
    std::uint64_t saturated = 0;
    std::vector<double> all(width);
    for (std::size_t at = 0; at < rows.size(); at += width) {
        const std::span<double> row = rows.subspan(at, width);
        factors.encode(row, all);
        const std::span<double> latents = std::span(all).first(rank);
        block.apply_rows(latents);
        saturated += quantise_group(latents, bits, CodeRounding::half_even);
        block.apply_inverse_rows(latents);
        std::fill(all.begin() + static_cast<std::ptrdiff_t>(rank), all.end(), 0.0);
        factors.decode(all, row);
    }
    return saturated;
}

Transform palu_block(std::size_t rank) {
    std::size_t block = 1;
    while (rank % (2 * block) == 0) block *= 2;
    return Transform::hadamard(block);
}

} // namespace kvproof
