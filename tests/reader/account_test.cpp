// Every system twice: the bits that a reader touches, and the closed forms of lib/account.
#include "lib/account/bits.hpp"
#include "lib/account/system.hpp"
#include "tests/reader/layers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

std::string decimal(int from, int to) {
    const int hundredths = *rc::gen::inRange(100 * from, 100 * to + 1);
    const std::string part = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + "." + std::string(2 - part.size(), '0') + part;
}

/// A name of any system that fits a head dimension.
std::string any_system(int dim) {
    const int stored = *rc::gen::inRange(2, 9);
    const std::string w = std::to_string(stored);
    const std::string r = std::to_string(*rc::gen::inRange(1, dim + 1));
    const std::string k = std::to_string(*rc::gen::inRange(1, 60));
    switch (*rc::gen::inRange(0, 14)) {
    case 0: return "dense";
    case 1: return "readkv:" + w + "," + decimal(0, stored);
    case 2: return "readkv:" + w + "," + decimal(0, stored) + "," + decimal(0, stored);
    case 3: return "full:" + w;
    case 4: return "uniform:" + w;
    case 5: return "calibration:" + w + "," + decimal(0, stored) + "," + decimal(0, stored);
    case 6: return "two-level:1," + w + "," + decimal(1, stored) + "," + decimal(1, stored);
    case 7: return "readkv-gpu:" + w + "," + decimal(1, stored);
    case 8: return "lloyd2";
    case 9: return *rc::gen::element<std::string>("kivi:2", "kivi:4");
    case 10: return "turboquant";
    case 11: return "sparq:" + r + "," + k;
    case 12: return "sparq-nested:" + r + "," + k;
    default: return "kvquant:" + std::to_string(*rc::gen::inRange(1, 5));
    }
}

RC_GTEST_PROP(ReadersAndAccount, touch_the_same_bits, ()) {
    const Sizes sizes{.kv_heads = *rc::gen::inRange(1, 4),
                      .query_heads = 0,
                      .dim = *rc::gen::element(4, 8, 32, 64),
                      .tokens = *rc::gen::inRange(1, 300),
                      .queries = 3};
    Sizes fitted = sizes;
    fitted.query_heads = sizes.kv_heads * *rc::gen::inRange(1, 3);
    const std::string name = any_system(sizes.dim);
    const CaptureLayer layer = random_layer(fitted, *rc::gen::arbitrary<std::uint64_t>());
    Sizes longer = fitted; // one token has no spread: all weights would be 0, and nothing would be read
    longer.tokens = 20;
    const CaptureLayer calibration = random_layer(longer, *rc::gen::arbitrary<std::uint64_t>());
    const auto reader = make_reader(name, 4);
    const auto stored = reader->encode({layer, &calibration, 0}, settings_for(sizes.dim));
    const int row = *rc::gen::inRange(0, layer.shape.queries);
    const int tokens = layer.shape.position(row) + 1;
    const Answer answer = stored->answer(layer.queries_at(row), tokens);

    const System system = parse_system(name);
    const LayerGeometry geometry{fitted.query_heads, fitted.kv_heads, fitted.dim};
    const Cost call = layer_call_bits(system, geometry, tokens);
    RC_LOG() << name << ", " << tokens << " tokens\n";
    RC_ASSERT(Integer(answer.bits()) == call.total());
    const Cost kept = layer_stored_bits(system, geometry, tokens) + layer_retained_bits(system, geometry);
    RC_ASSERT(Integer(stored->stored_bits(tokens)) == kept.total());
    RC_ASSERT(Integer(reader->shared_bits()) == model_retained_bits(system, geometry).total());
}

} // namespace
