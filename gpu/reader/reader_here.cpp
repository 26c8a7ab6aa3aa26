#include "gpu/certificate/certificate.hpp"
#include "gpu/group/serial_group.hpp"
#include "gpu/reader/reader_work.hpp"
#include "gpu/reader/two_stage.hpp"

#include <algorithm>
#include <cstddef>

namespace kvproof::gpu {

namespace {

/// body(group) as a block of one thread.
template <class Body>
void run(std::vector<std::byte>& memory, const Body& body) {
    SerialGroup group(memory);
    body(group);
}

/// What the bodies ask for.
std::vector<std::byte> shared_memory(const ReaderLayer& layer) {
    return std::vector<std::byte>(
        std::max<std::size_t>({sizeof(float) << (layer.depth + 1), sizeof(double) * spectrum_shared,
                               sizeof(double) * gram_shared(layer.dim)}));
}

} // namespace

// The launches of two_stage.cu.
void answer_here(const ReaderCall& call) {
    const ReaderLayer& layer = *call.layer;
    std::vector<std::byte> memory = shared_memory(layer);
    const std::uint32_t pools = call.pool_per_head ? layer.kv_heads : 1;
    run(memory, [&](auto& g) { key_weights(g, call); });
    for (std::uint32_t pool = 0; pool < pools; ++pool)
        run(memory, [&](auto& g) { allocate_pool(g, call, false, pool); });
    for (std::uint32_t kv = 0; kv < layer.kv_heads; ++kv)
        run(memory, [&](auto& g) { key_logits(g, call, kv, 0, call.tokens); });
    for (std::uint32_t head = 0; head < layer.query_heads; ++head)
        run(memory, [&](auto& g) { softmax_row(g, call, head); });
    run(memory, [&](auto& g) { value_weights(g, call, 0, layer.kv_heads * call.tokens); });
    for (std::uint32_t pool = 0; pool < pools; ++pool)
        run(memory, [&](auto& g) { allocate_pool(g, call, true, pool); });
    for (std::uint32_t kv = 0; kv < layer.kv_heads; ++kv)
        run(memory, [&](auto& g) { value_tiles(g, call, kv, 0, ReaderCall::tiles(call.tokens)); });
    run(memory, [&](auto& g) { sum_tiles(g, call); });
}

// The launches of certificate.cu.
void certify_here(const CertificateCall& of) {
    const ReaderLayer& layer = *of.call.layer;
    std::vector<std::byte> memory = shared_memory(layer);
    for (std::uint32_t kv = 0; kv < layer.kv_heads; ++kv) {
        run(memory, [&](auto& g) { certificate_squares(g, of, kv, 0, of.call.tokens); });
        run(memory, [&](auto& g) { certificate_centre(g, of, kv); });
        for (const GramKind kind : {key_gram, value_gram, spread_gram}) {
            for (std::uint32_t chunk = 0; chunk < gram_chunks(of.call.tokens); ++chunk)
                run(memory, [&](auto& g) { certificate_chunk(g, of, kind, kv, chunk); });
            run(memory, [&](auto& g) { certificate_matrix(g, of, kind, kv); });
        }
    }
    for (std::uint32_t head = 0; head < layer.query_heads; ++head)
        run(memory, [&](auto& g) { certificate_head(g, of, head); });
}

void require_allocations(const ReaderReply& reply) {
    if (std::ranges::find(reply.spent, bad_instance) != reply.spent.end())
        throw Error(ErrorCode::bad_weight,
                    "two-stage reader in binary32: found a weight or a gain that is not "
                    "finite, expected numbers that binary32 holds");
}

AnswerCall serve_here(const ReaderLayer& layer, const ExactVectors& exact,
                      std::span<const double> distortions) {
    return [layer, exact, distortions](const ReaderQuestion& question) {
        const std::size_t tokens = question.tokens;
        const std::size_t channels = std::size_t{layer.kv_heads} * layer.dim;
        const std::size_t items = std::max(channels, layer.kv_heads * tokens);
        ReaderReply out;
        out.key_depths.resize(channels);
        out.value_depths.resize(layer.kv_heads * tokens);
        out.spent.resize(std::size_t{2} * layer.kv_heads);
        out.logits.resize(layer.query_heads * tokens);
        out.attention.resize(out.logits.size());
        out.outputs.resize(std::size_t{layer.query_heads} * layer.dim);
        std::vector<float> key_weights(channels);
        std::vector<float> value_weights(out.value_depths.size());
        std::vector<float> partial(out.outputs.size() * ReaderCall::tiles(question.tokens));
        std::vector<std::uint32_t> scratch(items);
        const ReaderCall call{.layer = &layer,
                              .tokens = question.tokens,
                              .key_budget = question.key_budget,
                              .value_budget = question.value_budget,
                              .pool_per_head = question.pool_per_head,
                              .queries = question.queries.data(),
                              .key_weights = key_weights.data(),
                              .key_depths = out.key_depths.data(),
                              .logits = out.logits.data(),
                              .attention = out.attention.data(),
                              .value_weights = value_weights.data(),
                              .value_depths = out.value_depths.data(),
                              .partial_outputs = partial.data(),
                              .outputs = out.outputs.data(),
                              .spent = out.spent.data(),
                              .scratch = scratch.data()};
        answer_here(call);
        require_allocations(out);
        if (exact.keys == nullptr) return out;
        const std::size_t matrices = std::size_t{gram_kinds} * layer.kv_heads;
        const std::size_t square = std::size_t{layer.dim} * layer.dim;
        std::vector<double> squares(layer.kv_heads * tokens);
        std::vector<double> key_squares(channels);
        std::vector<double> centre(channels);
        std::vector<double> parts(matrices * gram_chunks(question.tokens) * square);
        std::vector<double> gram(matrices * square);
        std::vector<double> basis(matrices * lanczos_basis(layer.dim));
        std::vector<double> shifted(gram.size());
        std::vector<SpectrumTop> tops(matrices);
        out.certificates.resize(layer.query_heads);
        certify_here({call, exact, distortions.data(), squares.data(), key_squares.data(), centre.data(),
                      parts.data(), gram.data(), basis.data(), shifted.data(), tops.data(),
                      out.certificates.data()});
        return out;
    };
}

} // namespace kvproof::gpu
