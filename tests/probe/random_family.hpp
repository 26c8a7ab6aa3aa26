#pragma once

#include "sim/probe/access_class.hpp"
#include "sim/probe/family.hpp"

#include <random>
#include <rapidcheck.h>

namespace kvproof::testing_support {

/// A family of small integer targets, so that losses coincide often.
inline Family random_family(int most_sources, int most_queries, int dim) {
    std::mt19937_64 bits(*rc::gen::arbitrary<std::uint64_t>());
    const auto between = [&bits](int least, int most) {
        return std::uniform_int_distribution(least, most)(bits);
    };
    Family out{.name = "random",
               .sources = between(1, most_sources),
               .queries = between(1, most_queries),
               .dim = dim,
               .scale = between(1, 3)};
    for (int i = 0; i < out.sources * out.queries * dim; ++i) out.targets.emplace_back(between(-2, 2));
    return out;
}

struct Budget {
    AccessClass access;
    int bits;
    int probes;
};

/// A class that matters at up to two probes.
inline Budget some_budget(int most_bits) {
    const int bits = *rc::gen::inRange(0, most_bits + 1);
    const int probes = *rc::gen::inRange(0, 3);
    return {*rc::gen::elementOf(access_classes(probes)), bits, probes};
}

/// An acute triangle: a ball around all three is larger than around any two.
inline Family triangle() {
    Family out{.name = "triangle", .sources = 3, .queries = 1, .dim = 2, .scale = 1};
    for (const int entry : {-2, 0, 2, 0, 0, 3}) out.targets.emplace_back(entry);
    return out;
}

} // namespace kvproof::testing_support
