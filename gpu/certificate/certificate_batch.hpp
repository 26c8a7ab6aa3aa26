#pragma once

#include "gpu/certificate/certificate_call.hpp"

namespace kvproof::gpu {

/// Certificates of answered calls. Pointers, those within the calls too, are to memory of the device. The
/// other numbers are the largest among the calls.
struct CertificateBatch {
    const CertificateCall* calls = nullptr;
    std::uint32_t count = 0;
    std::uint32_t kv_heads = 0;
    std::uint32_t query_heads = 0;
    std::uint32_t tokens = 0;
    std::uint32_t dim = 0;
};

/// Starts the work on the device and returns. Throws Error(internal) where the device refuses it.
void launch_certificate(const CertificateBatch& batch);

} // namespace kvproof::gpu
