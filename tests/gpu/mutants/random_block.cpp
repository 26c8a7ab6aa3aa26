// Exit status 1 where the random words of the body are not those of lib/random.
#include "gpu/random/random_block.hpp"
#include "lib/random/philox.hpp"
#include "tests/gpu/executors.hpp"

#include <algorithm>

using namespace kvproof;
using namespace kvproof::gpu;

int main() {
    const RandomPlace place{
        .seed = 0x123456789abcdef0, .trial = 0xfedcba9876543210, .experiment = 7, .stream = 9};
    const DrawPlace same = {place.seed, place.trial, 7U << 16U | 9U};
    std::vector<RandomWords> words(50);
    test::run_block({.width = 7},
                    [&](FiberGroup& g) { fill_random_words(g, same, 0xfffffff0U, 50, words.data()); });
    for (std::uint32_t i = 0; i < 50; ++i) {
        const auto expected = random_block(place, 0xfffffff0U + i);
        if (!std::equal(expected.begin(), expected.end(), words[i].word)) return 1;
    }
    return 0;
}
