#pragma once

#include "python/src/cache_run.hpp"

namespace kvproof::python {

/// The arrays of a call of `read` or `certify`, kept alive by the Python object that holds this.
struct CacheArguments {
    MemorySource tested;
    std::optional<MemorySource> calibration;
    bool self = false; ///< calibrated on the tested cache
    std::shared_ptr<const Table> table;
    std::vector<pybind11::array> arrays; ///< that the sources view

    /// The run of these; both must outlive it. Needs no interpreter.
    [[nodiscard]] CacheRun run(const CacheOptions& options) const {
        const CaptureSource* shown = nullptr;
        if (self) shown = &tested;
        if (calibration) shown = &*calibration;
        return {tested, shown, options, *table};
    }
};

} // namespace kvproof::python
