#include "gpu/from_library/certify_by_bodies.hpp"

#include "lib/attention/vector_kernels.hpp"
#include "lib/reader/exact_attention.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace kvproof::gpu {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t rows_of_block = 16; // as `measure` steps

double norm(const std::vector<double>& x) {
    return std::sqrt(dot_product(x.data(), x.data(), x.size()));
}

std::vector<double> difference(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> out(x.size());
    subtract(out.data(), x.data(), y.data(), x.size());
    return out;
}

/// Vectors of one KV head as rows [T, d_h] in double: those of full precision as the bodies have them, and
/// those that the reader of a call works with.
struct HeadRows {
    std::vector<double> keys, values, read_keys, read_values;

    HeadRows(const BodyLayer& layer, const ReaderReply& reply, std::uint32_t kv, std::uint32_t tokens) {
        const ReaderLayer view = layer.view();
        const std::uint32_t d = view.dim;
        for (std::uint32_t j = 0; j < tokens; ++j)
            for (std::uint32_t c = 0; c < d; ++c) {
                const std::uint32_t channel = kv * d + c;
                const std::uint32_t t = reply.key_depths[channel];
                const std::uint32_t s = reply.value_depths[std::size_t{kv} * tokens + j];
                keys.push_back(layer.exact_keys()[std::size_t{channel} * view.tokens + j]);
                values.push_back(layer.exact_values()[(std::size_t{kv} * view.tokens + j) * d + c]);
                read_keys.push_back(
                    reconstruct(view.centroids, t,
                                prefix_of(view.key_channel(kv, c), ReaderLayer::words(view.tokens), t, j),
                                view.key_mean[channel], view.key_scale[channel]));
                read_values.push_back(reconstruct(
                    view.centroids, s, prefix_of(view.value_token(kv, j), ReaderLayer::words(d), s, c),
                    view.value_mean[channel], view.value_scale[channel]));
            }
    }
};

std::vector<double> logits_of(std::span<const double> query, const std::vector<double>& keys) {
    const std::size_t d = query.size();
    std::vector<double> out(keys.size() / d);
    for (std::size_t j = 0; j < out.size(); ++j)
        out[j] = dot(query, std::span(keys).subspan(j * d, d)) / std::sqrt(static_cast<double>(d));
    return out;
}

std::vector<double> weighted_sum(const std::vector<double>& weights, const std::vector<double>& rows,
                                 std::size_t d) {
    std::vector<double> out(d);
    const double* const one = weights.data();
    add_weighted_rows(out.data(), std::span(&one, 1), rows.data(), weights.size(), d);
    return out;
}

/// One query head of a call.
Certified certified_row(const BodyLayer& layer, const LayerInput& input, const ReaderReply& reply,
                        const HeadRows& rows, std::span<const double> query,
                        std::span<const float> transformed, std::size_t head, std::uint32_t kv, int tokens) {
    const std::size_t d = query.size();
    const auto visible = static_cast<std::size_t>(tokens);
    const std::vector<double> single(transformed.begin(), transformed.end());
    const std::vector<double> logits = logits_of(single, rows.keys);
    const std::vector<double> exact = attention_weights(logits);
    const std::vector<double> reader = attention_weights(logits_of(single, rows.read_keys));
    const auto own_begin = reply.attention.begin() + static_cast<std::ptrdiff_t>(head * visible);
    const std::vector<double> own(own_begin, own_begin + tokens);
    const auto returned_begin = reply.outputs.begin() + static_cast<std::ptrdiff_t>(head * d);
    const std::vector<double> returned(returned_begin, returned_begin + static_cast<std::ptrdiff_t>(d));

    std::vector<double> output(d); // of the file, transformed below
    attend(
        query, tokens, [&](int j) { return input.layer.key(static_cast<int>(kv), j); },
        [&](int j) { return input.layer.value(static_cast<int>(kv), j); }, std::span(output));
    layer.settings().values.apply(output);

    Certified row;
    row.head = static_cast<int>(head);
    row.certified = true;
    row.output_sq = dot_product(output.data(), output.data(), d);
    const std::vector<double> error = difference(output, returned);
    row.error_sq = dot_product(error.data(), error.data(), d);
    std::vector<double> change(visible);
    for (std::size_t j = 0; j < visible; ++j)
        change[j] = logits[j] - static_cast<double>(reply.logits[head * visible + j]);
    row.logit_error_sq = dot_product(change.data(), change.data(), visible);

    const HeadCertificate& certificate = reply.certificates[head];
    row.a_k = certificate.a_k;
    row.a_v = certificate.a_v;
    row.s_k = certificate.s_k;
    row.s_v = certificate.s_v;
    row.gamma_k = row.a_k == 0 ? 0 : row.a_k / row.s_k;
    row.gamma_v = row.a_v == 0 ? 0 : row.a_v / row.s_v;
    row.kappa_k = certificate.kappa_k;
    row.kappa_v = certificate.kappa_v;
    row.centre_norm_sq = certificate.centre_norm_sq;
    const double inputs = norm(difference(output, weighted_sum(exact, rows.values, d)));
    const double softmax = norm(weighted_sum(difference(reader, own), rows.values, d));
    const std::vector<double> read = weighted_sum(own, rows.read_values, d);
    const double sums = norm(difference(read, returned));
    const double carried = std::sqrt(certificate.bound) + inputs + softmax + sums;
    row.bound = carried * carried;
    row.sharp_bound = infinity;
    row.attention_bound_sq = infinity;
    row.value_bound_sq = infinity;
    const std::vector<double> moved = weighted_sum(difference(exact, own), rows.values, d);
    row.attention_term_sq = dot_product(moved.data(), moved.data(), d);
    const std::vector<double> residual = difference(weighted_sum(own, rows.values, d), read);
    row.value_term_sq = dot_product(residual.data(), residual.data(), d);
    return row;
}

std::uint64_t spent(const std::vector<std::uint8_t>& depths, std::size_t pools, std::size_t pool) {
    const std::size_t size = depths.size() / pools;
    const auto first = depths.begin() + static_cast<std::ptrdiff_t>(pool * size);
    return std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), std::uint64_t{0});
}

} // namespace

Measured certify_by_bodies(const System& system, const LayerInput& input, const ReaderSettings& settings,
                           const QueryRows& rows, const ServeLayer& serve, const Executor& executor,
                           const std::function<void()>& step) {
    const CaptureShape& shape = input.layer.shape;
    const auto d = static_cast<std::size_t>(shape.dim);
    const auto groups = static_cast<std::uint32_t>(shape.kv_heads);
    const std::uint32_t sharing = static_cast<std::uint32_t>(shape.query_heads) / groups;
    const std::size_t pools = settings.pool == Pool::head ? groups : 1;
    const BodyLayer layer(system, input, settings, serve, true);
    std::vector<std::vector<Certified>> of_row(rows.size());
    std::vector<std::uint64_t> bits(rows.size());
    executor(blocks_of(rows), [&](std::size_t block) {
        for (std::size_t i = block * rows_of_block; i < std::min(rows.size(), (block + 1) * rows_of_block);
             ++i) {
            const int position = shape.position(rows[i]);
            const int tokens = position + 1;
            const std::vector<double> queries = input.layer.queries_at(rows[i]);
            const std::vector<float> transformed = layer.transformed(queries);
            const ReaderReply reply = layer.reply(transformed, tokens);
            bits[i] = layer.payload_bits(reply, tokens) + layer.overhead_bits();
            for (std::uint32_t kv = 0; kv < groups; ++kv) {
                const HeadRows vectors(layer, reply, kv, static_cast<std::uint32_t>(tokens));
                for (std::size_t h = std::size_t{kv} * sharing; h < std::size_t{kv + 1} * sharing; ++h) {
                    Certified row =
                        certified_row(layer, input, reply, vectors, std::span(queries).subspan(h * d, d),
                                      std::span(transformed).subspan(h * d, d), h, kv, tokens);
                    row.layer = input.index;
                    row.position = position;
                    row.key_bits = spent(reply.key_depths, pools, pools == 1 ? 0 : kv);
                    row.value_bits = spent(reply.value_depths, pools, pools == 1 ? 0 : kv);
                    row.key_budget = layer.budget(false, tokens) / pools;
                    row.value_budget = layer.budget(true, tokens) / pools;
                    of_row[i].push_back(row);
                }
            }
        }
        step();
    });
    Measured out;
    out.stored_bits = layer.stored_bits(shape.tokens);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        out.rows.insert(out.rows.end(), of_row[i].begin(), of_row[i].end());
        out.bits_read += bits[i];
        out.dense_bits +=
            std::uint64_t{32} * groups * d * static_cast<std::uint64_t>(shape.position(rows[i]) + 1);
    }
    return out;
}

} // namespace kvproof::gpu
