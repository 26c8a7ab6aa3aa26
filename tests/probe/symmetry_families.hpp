#pragma once

#include "sim/probe/family.hpp"

#include <rapidcheck.h>

namespace kvproof {

/// A family with few sources and small targets, so that ties and symmetries are common.
inline rc::Gen<Family> tiny_family(int most_sources = 5, int most_queries = 3, int most_dim = 1) {
    return rc::gen::exec([=] {
        Family out{.name = "tiny",
                   .sources = *rc::gen::inRange(1, most_sources + 1),
                   .queries = *rc::gen::inRange(1, most_queries + 1),
                   .dim = *rc::gen::inRange(1, most_dim + 1),
                   .scale = *rc::gen::inRange(1, 4)};
        for (int i = 0; i < out.sources * out.queries * out.dim; ++i)
            out.targets.emplace_back(*rc::gen::inRange(-2, 3), *rc::gen::element(1, 1, 3));
        return out;
    });
}

} // namespace kvproof
