#include "gpu/certificate/certificate_batch.hpp"
#include "gpu/reader/reader_batch.hpp"
#include "gpu/reader/reader_work.hpp"

namespace kvproof::gpu {

void launch_reader(const ReaderBatch& batch) {
    for (std::uint32_t i = 0; i < batch.count; ++i) answer_here(batch.calls[i]);
}

void launch_certificate(const CertificateBatch& batch) {
    for (std::uint32_t i = 0; i < batch.count; ++i) certify_here(batch.calls[i]);
}

} // namespace kvproof::gpu
