#pragma once

#include "python/src/memory_source.hpp"
#include "python/src/table.hpp"

#include "lib/executor.hpp"
#include "lib/reader/measure.hpp"

namespace kvproof::python {

/// What `read` and `certify` take alike, as the package hands it over.
struct CacheOptions {
    std::string reader;
    std::string transform; ///< hadamard or identity
    std::uint64_t seed = 0;
    std::string value_scale; ///< unit or variance
    std::string pool;        ///< layer or head
    std::vector<int> rows;   ///< query rows, ascending
    unsigned threads = 1;
};

/// A cache in memory, its calibration, and the reader that was shown it.
class CacheRun {
public:
    /// `calibration` is null where there is none; it may be the tested cache itself. Throws Error where an
    /// option or an array is not as it should be.
    CacheRun(const MemorySource& tested, const CaptureSource* calibration, const CacheOptions& options,
             const Table& table);

    [[nodiscard]] const CaptureShape& shape() const { return tested_.shape(); }
    [[nodiscard]] const Reader& reader() const { return *reader_; }
    [[nodiscard]] const ReaderSettings& settings() const { return settings_; }

    /// A layer with its calibration.
    [[nodiscard]] KeptLayer layer(int index) const;

private:
    const MemorySource& tested_;
    const CaptureSource* calibration_;
    ReaderSettings settings_;
    std::unique_ptr<Reader> reader_;
};

} // namespace kvproof::python
