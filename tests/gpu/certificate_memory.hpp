#pragma once
// The certificate of an answered call, launch by launch, by any executor.

#include "gpu/certificate/certificate.hpp"
#include "tests/gpu/call_memory.hpp"

#include <vector>

namespace kvproof::test {

/// Room for a certificate, all NaN at first.
struct CertificateMemory {
    CertificateMemory(const CallMemory& answered, const std::vector<float>& keys,
                      const std::vector<float>& values, const std::vector<double>& distortions)
        : distortion(distortions) {
        const gpu::ReaderLayer& layer = answered.layer;
        const std::uint32_t tokens = answered.call.tokens;
        const std::size_t d = layer.dim;
        const std::size_t groups = layer.kv_heads;
        residual_squares.assign(groups * tokens, NAN);
        key_squares.assign(groups * d, NAN);
        centre = key_squares;
        partial.assign(gpu::gram_kinds * groups * gpu::gram_chunks(tokens) * d * d, NAN);
        gram.assign(gpu::gram_kinds * groups * d * d, NAN);
        shifted = gram;
        basis.assign(gpu::gram_kinds * groups * gpu::lanczos_basis(layer.dim), NAN);
        tops.resize(gpu::gram_kinds * groups);
        heads.resize(layer.query_heads);
        call = {answered.call,      {keys.data(), values.data()},
                distortion.data(),  residual_squares.data(),
                key_squares.data(), centre.data(),
                partial.data(),     gram.data(),
                basis.data(),       shifted.data(),
                tops.data(),        heads.data()};
    }
    CertificateMemory(const CertificateMemory&) = delete;
    CertificateMemory& operator=(const CertificateMemory&) = delete;

    [[nodiscard]] bool same_bits(const CertificateMemory& other) const {
        bool same = gram == other.gram && key_squares == other.key_squares &&
                    residual_squares == other.residual_squares && centre == other.centre;
        for (std::size_t i = 0; i < tops.size(); ++i)
            same = same && tops[i].guess == other.tops[i].guess && tops[i].upper == other.tops[i].upper &&
                   tops[i].by_factorisation == other.tops[i].by_factorisation;
        for (std::size_t i = 0; i < heads.size(); ++i)
            same = same && heads[i].a_k == other.heads[i].a_k && heads[i].a_v == other.heads[i].a_v &&
                   heads[i].s_k == other.heads[i].s_k && heads[i].s_v == other.heads[i].s_v &&
                   heads[i].bound == other.heads[i].bound;
        return same;
    }

    std::vector<double> distortion;
    std::vector<double> residual_squares, key_squares, centre, partial, gram, shifted, basis;
    std::vector<gpu::SpectrumTop> tops;
    std::vector<gpu::HeadCertificate> heads;
    gpu::CertificateCall call;
};

template <class Launch>
void run_certificate(const Launch& launch, CertificateMemory& memory) {
    const gpu::CertificateCall& of = memory.call;
    const auto groups = static_cast<int>(of.call.layer->kv_heads);
    launch(groups, [&](auto& g, int kv) {
        gpu::certificate_squares(g, of, static_cast<std::uint32_t>(kv), 0, of.call.tokens);
    });
    launch(groups, [&](auto& g, int kv) { gpu::certificate_centre(g, of, static_cast<std::uint32_t>(kv)); });
    const auto chunks = static_cast<int>(gpu::gram_chunks(of.call.tokens));
    launch(static_cast<int>(gpu::gram_kinds) * groups * chunks, [&](auto& g, int block) {
        const int matrix = block / chunks;
        gpu::certificate_chunk(g, of, static_cast<gpu::GramKind>(matrix / groups),
                               static_cast<std::uint32_t>(matrix % groups),
                               static_cast<std::uint32_t>(block % chunks));
    });
    launch(static_cast<int>(gpu::gram_kinds) * groups, [&](auto& g, int block) {
        gpu::certificate_matrix(g, of, static_cast<gpu::GramKind>(block / groups),
                                static_cast<std::uint32_t>(block % groups));
    });
    launch(static_cast<int>(of.call.layer->query_heads),
           [&](auto& g, int head) { gpu::certificate_head(g, of, static_cast<std::uint32_t>(head)); });
}

} // namespace kvproof::test
