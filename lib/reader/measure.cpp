#include "lib/reader/measure.hpp"

#include "lib/attention/vector_kernels.hpp"
#include "lib/reader/exact_attention.hpp"
#include "lib/reader/prefix_reader.hpp"

#include <algorithm>

namespace kvproof {
namespace {

/// Certifying a block starts with sums over the tokens before it, which the block's rows share.
constexpr std::size_t rows_of_block = 16;

struct Block {
    std::vector<Certified> rows;
    std::uint64_t bits_read = 0;
    std::uint64_t dense_bits = 0;
};

/// The errors of an answer, without a certificate.
void add_errors(const CaptureLayer& layer, std::span<const double> queries, int tokens,
                const std::vector<double>& outputs, std::vector<Certified>& rows) {
    const auto d = static_cast<std::size_t>(layer.shape.dim);
    std::vector<double> output(d);
    std::vector<double> error(d);
    for (int h = 0; h < layer.shape.query_heads; ++h) {
        const int g = layer.shape.kv_head_of(h);
        attend(
            queries.subspan(h * d, d), tokens, [&](int j) { return layer.key(g, j); },
            [&](int j) { return layer.value(g, j); }, std::span(output));
        subtract(error.data(), output.data(), outputs.data() + h * d, d);
        Certified row;
        row.head = h;
        row.error_sq = dot_product(error.data(), error.data(), d);
        row.output_sq = dot_product(output.data(), output.data(), d);
        rows.push_back(row);
    }
}

} // namespace

std::size_t blocks_of(const QueryRows& rows) {
    return (rows.size() + rows_of_block - 1) / rows_of_block;
}

Measured measure(const Reader& reader, const LayerInput& input, const ReaderSettings& settings,
                 const QueryRows& rows, bool certify, const CertificateOptions& options,
                 const Executor& executor, const std::function<void()>& step) {
    const CaptureLayer& layer = input.layer;
    const std::unique_ptr<StoredLayer> stored = reader.encode(input, settings);
    const auto* const prefix = dynamic_cast<const PrefixLayer*>(stored.get());
    Measured out;
    out.stored_bits = stored->stored_bits(layer.shape.tokens);
    out.saturated = stored->saturated();
    const bool certified = certify && prefix != nullptr;
    std::unique_ptr<ExactLayer> exact;
    if (certified) exact = std::make_unique<ExactLayer>(layer, settings.keys, settings.values);

    std::vector<Block> blocks(blocks_of(rows));
    executor(blocks.size(), [&](std::size_t b) {
        Block& block = blocks[b];
        std::unique_ptr<Certifier> certifier;
        if (certified) certifier = std::make_unique<Certifier>(*exact, prefix->reader(), options);
        TwoStageCall call;
        for (std::size_t i = b * rows_of_block; i < std::min(rows.size(), (b + 1) * rows_of_block); ++i) {
            const std::vector<double> queries = layer.queries_at(rows[i]);
            const int position = layer.shape.position(rows[i]);
            const int tokens = position + 1;
            const std::size_t before = block.rows.size();
            if (certified) {
                prefix->reader().run(queries, tokens, call);
                block.bits_read += call.key_bits + call.value_bits + prefix->call_overhead();
                certifier->certify(queries, call, block.rows);
            } else {
                const Answer answer = stored->answer(queries, tokens);
                block.bits_read += answer.bits();
                add_errors(layer, queries, tokens, answer.outputs, block.rows);
            }
            block.dense_bits += std::uint64_t{32} * static_cast<std::uint64_t>(layer.shape.kv_heads) *
                                layer.shape.dim * tokens;
            for (std::size_t r = before; r < block.rows.size(); ++r) {
                block.rows[r].layer = input.index;
                block.rows[r].position = position;
            }
        }
        step();
    });
    for (Block& block : blocks) {
        out.rows.insert(out.rows.end(), block.rows.begin(), block.rows.end());
        out.bits_read += block.bits_read;
        out.dense_bits += block.dense_bits;
    }
    return out;
}

} // namespace kvproof
