#include "lib/reader/whole_read_layer.hpp"

#include "lib/error.hpp"
#include "lib/reader/exact_attention.hpp"

namespace kvproof {

void require_call(const CaptureShape& shape, std::span<const double> queries, int tokens) {
    const std::size_t expected = static_cast<std::size_t>(shape.query_heads) * shape.dim;
    if (queries.size() != expected)
        throw Error(ErrorCode::internal, "attention call: found " + std::to_string(queries.size()) +
                                             " query entries, expected " + std::to_string(expected));
    if (tokens < 1 || tokens > shape.tokens)
        throw Error(ErrorCode::internal, "attention call: found " + std::to_string(tokens) +
                                             " visible tokens, expected 1 to " +
                                             std::to_string(shape.tokens));
}

Answer WholeReadLayer::answer(std::span<const double> queries, int tokens) const {
    require_call(shape_, queries, tokens);
    const CallBits bits = call_bits(tokens);
    Answer out{std::vector<double>(queries.size()), bits.payload, bits.overhead};
    const auto d = static_cast<std::size_t>(shape_.dim);
    for (int h = 0; h < shape_.query_heads; ++h) {
        const int g = shape_.kv_head_of(h);
        const std::size_t at = static_cast<std::size_t>(h) * d;
        attend(
            queries.subspan(at, d), tokens, [&](int j) { return key(g, j, tokens); },
            [&](int j) { return value(g, j, tokens); }, std::span(out.outputs).subspan(at, d));
    }
    return out;
}

} // namespace kvproof
