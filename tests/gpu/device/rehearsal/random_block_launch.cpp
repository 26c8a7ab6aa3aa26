#include "gpu/group/serial_group.hpp"
#include "gpu/random/random_block.hpp"

namespace kvproof::gpu {

void launch_random_words(const DrawPlace& place, std::uint32_t first, int count, RandomWords* out) {
    SerialGroup g;
    fill_random_words(g, place, first, count, out);
}

} // namespace kvproof::gpu
