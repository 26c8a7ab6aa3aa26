#pragma once

#include "lib/attention/certificate.hpp"
#include "lib/executor.hpp"
#include "lib/reader/reader.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// Query rows of a capture in ascending order.
using QueryRows = std::vector<int>;

/// What running a reader over a layer's queries gave.
struct Measured {
    std::vector<Certified>
        rows; ///< [query row, head]; only the errors where the reader has no prefix schedule
    std::uint64_t bits_read = 0;   ///< over all calls
    std::uint64_t dense_bits = 0;  ///< 2 G d_h 16 bits for each visible token of the same calls
    std::uint64_t stored_bits = 0; ///< for all tokens of the capture
    std::uint64_t saturated = 0;   ///< numbers that did not fit 16 bits
};

/// Encodes a layer and answers its queries. With `certify`, readers of ReadKV's family leave certificates.
/// `step` is called after each block of rows, from any thread.
[[nodiscard]] Measured measure(const Reader& reader, const LayerInput& input, const ReaderSettings& settings,
                               const QueryRows& rows, bool certify, const CertificateOptions& options,
                               const Executor& executor, const std::function<void()>& step);

/// How many blocks `measure` works through.
[[nodiscard]] std::size_t blocks_of(const QueryRows& rows);

} // namespace kvproof
