#include "gpu/certificate/certificate.hpp"

#include "gpu/certificate/certificate_batch.hpp"
#include "gpu/device/block_group.cuh"
#include "gpu/device/require_cuda.hpp"

namespace kvproof::gpu {

namespace {

// A block's place: x a part of the tokens, y a head or a matrix, z the call.

constexpr unsigned narrow = 128;
constexpr unsigned wide = 256;
constexpr unsigned tiled = 160; // d_h = 128 has 136 tiles of a matrix on and below the diagonal

__global__ void __launch_bounds__(narrow) squares_kernel(CertificateBatch batch) {
    const CertificateCall& of = batch.calls[blockIdx.z];
    const std::uint32_t first = blockIdx.x * narrow;
    if (first >= of.call.tokens || blockIdx.y >= of.call.layer->kv_heads) return;
    BlockGroup<narrow> g = BlockGroup<narrow>::here();
    const std::uint32_t left = of.call.tokens - first;
    certificate_squares(g, of, blockIdx.y, first, left < narrow ? left : narrow);
}

__global__ void __launch_bounds__(1024) centre_kernel(CertificateBatch batch) {
    const CertificateCall& of = batch.calls[blockIdx.z];
    if (blockIdx.y >= of.call.layer->kv_heads) return;
    BlockGroup<1024> g = BlockGroup<1024>::here();
    certificate_centre(g, of, blockIdx.y);
}

__global__ void __launch_bounds__(tiled) chunk_kernel(CertificateBatch batch) {
    const CertificateCall& of = batch.calls[blockIdx.z];
    const std::uint32_t heads = of.call.layer->kv_heads;
    if (blockIdx.x >= gram_chunks(of.call.tokens) || blockIdx.y >= gram_kinds * heads) return;
    BlockGroup<tiled> g = BlockGroup<tiled>::here();
    certificate_chunk(g, of, static_cast<GramKind>(blockIdx.y / heads), blockIdx.y % heads, blockIdx.x);
}

// One block a processor is enough: told of no number, the compiler saves registers and spills.
__global__ void __launch_bounds__(wide, 1) matrix_kernel(CertificateBatch batch) {
    const CertificateCall& of = batch.calls[blockIdx.z];
    const std::uint32_t heads = of.call.layer->kv_heads;
    if (blockIdx.y >= gram_kinds * heads) return;
    BlockGroup<wide> g = BlockGroup<wide>::here();
    certificate_matrix(g, of, static_cast<GramKind>(blockIdx.y / heads), blockIdx.y % heads);
}

__global__ void __launch_bounds__(narrow, 1) head_kernel(CertificateBatch batch) {
    const CertificateCall& of = batch.calls[blockIdx.z];
    if (blockIdx.y >= of.call.layer->query_heads) return;
    BlockGroup<narrow> g = BlockGroup<narrow>::here();
    certificate_head(g, of, blockIdx.y);
}

} // namespace

void launch_certificate(const CertificateBatch& batch) {
    if (batch.count == 0) return;
    const auto grid = [&](unsigned x, unsigned y) { return dim3(x, y, batch.count); };
    const auto numbers = [](std::size_t n) { return n * sizeof(double); };
    squares_kernel<<<grid((batch.tokens + narrow - 1) / narrow, batch.kv_heads), narrow>>>(batch);
    centre_kernel<<<grid(1, batch.kv_heads), 1024>>>(batch);
    // 48 KiB, which need no leave, hold the rows of d_h <= 384
    const std::size_t rows = numbers(gram_shared(batch.dim));
    chunk_kernel<<<grid(gram_chunks(batch.tokens), gram_kinds * batch.kv_heads), tiled, rows>>>(batch);
    matrix_kernel<<<grid(1, gram_kinds * batch.kv_heads), wide, numbers(spectrum_shared)>>>(batch);
    head_kernel<<<grid(1, batch.query_heads), narrow, numbers(strands)>>>(batch);
    require_cuda(cudaGetLastError(), "certificate");
}

} // namespace kvproof::gpu
