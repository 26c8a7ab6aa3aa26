#pragma once
// ReadKV's certificate (Proposition 12, E.3.3) of an answered call of the device's reader. It speaks of the
// reader in exact arithmetic over the numbers k^, v^ and alpha^ that the device holds, against the softmax
// over the full-precision vectors in binary32; what the reader's own sums round comes on top (reader.hpp).

#include "gpu/certificate/certificate_call.hpp"
#include "gpu/certificate/rows.hpp"
#include "gpu/certificate/spectrum.hpp"

namespace kvproof::gpu {

/// Where the chunks of a matrix lie in `partial`.
[[nodiscard]] KVPROOF_DEVICE double* chunks_of(const CertificateCall& of, GramKind kind, std::uint32_t kv) {
    const ReaderLayer& layer = *of.call.layer;
    const std::size_t matrix = std::size_t{kind} * layer.kv_heads + kv;
    return of.partial + matrix * gram_chunks(of.call.tokens) * layer.dim * layer.dim;
}

/// The centre of a KV head; its sums lie where the spread's matrix will.
template <Group G>
KVPROOF_KERNEL void certificate_centre(G& g, const CertificateCall& of, std::uint32_t kv) {
    value_mean(g, of.call, of.exact.values, kv, chunks_of(of, spread_gram, kv), of.centre);
}

/// ||e^V_j||^2 of some tokens of a KV head.
template <Group G>
KVPROOF_KERNEL void certificate_squares(G& g, const CertificateCall& of, std::uint32_t kv,
                                        std::uint32_t first, std::uint32_t count) {
    value_residual_squares(g, {of.call, of.exact.values, kv}, first, count, of.residual_squares);
}

/// One chunk of one matrix. Needs the squares and the centre.
template <Group G>
KVPROOF_KERNEL void certificate_chunk(G& g, const CertificateCall& of, GramKind kind, std::uint32_t kv,
                                      std::uint32_t chunk) {
    const ReaderLayer& layer = *of.call.layer;
    const std::uint32_t begin = chunk * gram_chunk;
    const std::uint32_t end = of.call.tokens - begin < gram_chunk ? of.call.tokens : begin + gram_chunk;
    const std::uint32_t d = layer.dim;
    double* const out = chunks_of(of, kind, kv) + std::size_t{chunk} * d * d;
    if (kind == key_gram)
        gram_of_chunk(g, KeyResidualRows{of.call, of.exact.keys, kv}, d, begin, end, out);
    else if (kind == value_gram)
        gram_of_chunk(g, UnitValueRows{{of.call, of.exact.values, kv}, of.residual_squares}, d, begin, end,
                      out);
    else
        gram_of_chunk(g, CentredValueRows{of.call, of.exact.values, kv, of.centre}, d, begin, end, out);
}

/// One matrix from its chunks, and its largest eigenvalue. With m = gram_roundings(T) and u = 2^-53:
///
/// - keys: rows err by u, so |G~_ab - <e_a, e_b>| <= gamma_{m+2} sum_j |e_ja e_jb|; with s_a = fl(1 /
///   fl(sqrt(G~_aa))) the matrix is fl(fl(G~_ab s_a) s_b), off by gamma_{m+4} from that of the exact s_a e_a,
///   and s_a ||e_a|| is within gamma_{m+4} of 1.
/// - values: each row carries its factor t_j, within gamma_{d+4} of 1, and errs by gamma_2: gamma_{m+4}.
/// - spread: rows err by u: gamma_{m+2}.
template <Group G>
KVPROOF_KERNEL void certificate_matrix(G& g, const CertificateCall& of, GramKind kind, std::uint32_t kv) {
    const ReaderLayer& layer = *of.call.layer;
    const std::uint32_t d = layer.dim;
    const std::uint32_t chunks = gram_chunks(of.call.tokens);
    const std::size_t matrix = std::size_t{kind} * layer.kv_heads + kv;
    const auto rank = static_cast<std::uint32_t>(g.rank());
    const auto size = static_cast<std::uint32_t>(g.size());
    const double* const parts = chunks_of(of, kind, kv);
    double* const gram = of.gram + matrix * d * d;
    double* const squares = of.key_squares + std::size_t{kv} * d;
    for (std::uint32_t i = rank; i < d * d; i += size) {
        double sum = 0;
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) sum += parts[std::size_t{chunk} * d * d + i];
        gram[i] = sum;
        if (kind == key_gram && i % (d + 1) == 0) squares[i / (d + 1)] = sum;
    }
    g.sync();
    const std::uint64_t roundings = gram_roundings(of.call.tokens);
    MatrixRoundings known{roundings + 4, roundings + 4};
    if (kind == key_gram) {
        for (std::uint32_t i = rank; i < d * d; i += size) {
            const std::uint32_t above = i / d > i % d ? i / d : i % d; // the same order on both sides
            const std::uint32_t below = i / d > i % d ? i % d : i / d;
            const bool counts = squares[above] > 0 && squares[below] > 0;
            gram[i] =
                counts ? gram[i] * (1 / std::sqrt(squares[above])) * (1 / std::sqrt(squares[below])) : 0;
        }
        g.sync();
    } else if (kind == value_gram) {
        known.factor = d + 4;
    } else {
        known = {roundings + 2, 4};
    }
    const SpectrumTop top = largest_eigenvalue_up(
        g, gram, d, known, {of.basis + matrix * lanczos_basis(d), of.shifted + matrix * d * d});
    if (rank == 0) of.tops[matrix] = top;
}

/// The row of one query head. Squares of binary32 numbers are exact in double, so A_K is off by gamma of
/// (m + 2) + 2 + strand_roundings(d), A_V by that of (d + 2) + 1 + strand_roundings(T); the factor below
/// covers both, the bound's own five operations, and is doubled.
template <Group G>
KVPROOF_KERNEL void certificate_head(G& g, const CertificateCall& of, std::uint32_t head) {
    const ReaderCall& call = of.call;
    const ReaderLayer& layer = *call.layer;
    const std::uint32_t d = layer.dim;
    const std::uint32_t kv = head / layer.sharing();
    double* const scratch = g.template shared<double>(strands);
    const float* const query = call.queries + std::size_t{head} * d;
    const float* const alpha = call.attention + std::size_t{head} * call.tokens;
    const auto square = [](float x) { return double{x} * double{x}; };
    HeadCertificate out;
    out.a_k = strand_sum(g, d, scratch, [&](std::uint32_t c) {
        return square(query[c]) * of.key_squares[std::size_t{kv} * d + c];
    });
    out.a_v = strand_sum(g, call.tokens, scratch, [&](std::uint32_t j) {
        return square(alpha[j]) * of.residual_squares[std::size_t{kv} * call.tokens + j];
    });
    out.s_k = strand_sum(g, d, scratch, [&](std::uint32_t c) {
        const std::uint32_t item = kv * d + c;
        const double scaled = double{query[c]} * double{layer.key_scale[item]};
        return scaled * scaled * of.distortion[call.key_depths[item]];
    });
    out.s_v = strand_sum(g, call.tokens, scratch, [&](std::uint32_t j) {
        return square(alpha[j]) * of.distortion[call.value_depths[std::size_t{kv} * call.tokens + j]];
    });
    if (g.rank() != 0) return;
    const double grown = 1 + static_cast<double>(gram_roundings(call.tokens) + d +
                                                 strand_roundings(call.tokens) + strand_roundings(d) + 16) *
                                 0x1p-52;
    out.a_k = out.a_k / d * grown;
    out.a_v *= grown;
    out.s_k = out.s_k * call.tokens / d;
    out.s_v *= layer.value_factor[kv];
    const auto top = [&](GramKind kind) { return of.tops[std::size_t{kind} * layer.kv_heads + kv].upper; };
    out.kappa_k = out.a_k == 0 ? 0 : top(key_gram);
    out.kappa_v = out.a_v == 0 ? 0 : top(value_gram);
    out.centre_norm_sq = top(spread_gram);
    const double infinity = portable::from_bits(std::uint64_t{0x7ff} << 52U);
    const double key_term = out.s_k == 0 && out.a_k > 0 ? infinity : out.kappa_k * out.a_k;
    const double value_term = out.s_v == 0 && out.a_v > 0 ? infinity : out.kappa_v * out.a_v;
    const double attention = out.centre_norm_sq == 0 || key_term == 0 ? 0 : out.centre_norm_sq * key_term;
    out.bound = (0.5 * attention + 2 * value_term) * grown;
    of.heads[head] = out;
}

} // namespace kvproof::gpu
