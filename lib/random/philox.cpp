#include "lib/random/philox.hpp"

#include <Random123/philox.h> // defines macros: only here

namespace kvproof {
namespace {

std::uint32_t low(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
}

std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
}

} // namespace

std::array<std::uint32_t, 4> philox_10(const std::array<std::uint32_t, 4>& counter,
                                       const std::array<std::uint32_t, 2>& key) {
    using Generator = r123::Philox4x32_R<10>;
    const Generator::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
    const Generator::key_type k = {{key[0], key[1]}};
    const Generator::ctr_type out = Generator()(c, k);
    return {out[0], out[1], out[2], out[3]};
}

std::array<std::uint32_t, 4> random_block(const RandomPlace& place, std::uint32_t sample) {
    const std::uint32_t where = (std::uint32_t{place.experiment} << 16) | place.stream;
    return philox_10({low(place.trial), high(place.trial), where, sample},
                     {low(place.seed), high(place.seed)});
}

} // namespace kvproof
