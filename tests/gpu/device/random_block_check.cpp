// The device's random words against the processor's, which the tests compare with Random123's.
#include "gpu/device/device_array.hpp"
#include "gpu/random/random_block.hpp"
#include "tests/gpu/device/check.hpp"

#include <cstring>

namespace kvproof::gpu {

namespace {

constexpr DrawPlace place = {.seed = 0x0123456789abcdefU, .trial = 42, .experiment_and_stream = 0x00300001U};

void compare(Comparison& comparison, Size size) {
    // the digits of pi, from the generator's authors
    const DrawPlace pi = {0x299f31d0a4093822U, 0x85a308d3243f6a88U, 0x13198a2eU};
    DeviceArray<RandomWords> one(1);
    one.poison();
    launch_random_words(pi, 0x03707344U, 1, one.get());
    const RandomWords known = one.to_host()[0];
    comparison.expect(known.word[0] == 0xd16cfe09U && known.word[1] == 0x94fdccebU &&
                          known.word[2] == 0x5001e420U && known.word[3] == 0x24126ea1U,
                      "random_words: the known answer");

    const int count = size == Size::quick ? 3000 : 3'000'001;
    const std::uint32_t first = 0xfffffff0U; // goes on at 0
    DeviceArray<RandomWords> words(static_cast<std::size_t>(count));
    words.poison();
    launch_random_words(place, first, count, words.get());
    const std::vector<RandomWords> found = words.to_host();
    long differ = 0;
    for (std::uint32_t i = 0; i < found.size(); ++i) {
        const RandomWords expected = random_block(place, first + i);
        differ += std::memcmp(&expected, &found[i], sizeof expected) == 0 ? 0 : 1;
    }
    comparison.expect(differ == 0, "random_words: " + std::to_string(differ) + " samples");
}

void time(const std::function<void(const Timing&)>& measure, Size size) {
    const int count = size == Size::quick ? 1 << 16 : 1 << 26;
    const DeviceArray<RandomWords> words(static_cast<std::size_t>(count));
    // a round: two products of 64 bits (each two operations), four exclusive ors, two sums for the key
    constexpr double operations = 10 * 10;
    measure({.kernel = "random_words",
             .size = std::to_string(count) + " x 128 bits",
             .bytes = 16.0 * count,
             .operations = operations * count,
             .launch = [&] { launch_random_words(place, 0, count, words.get()); }});
}

const RegisterCheck registered({.name = "random", .compare = compare, .time = time});

} // namespace

} // namespace kvproof::gpu
