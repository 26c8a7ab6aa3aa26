#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/cache_arguments.hpp"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace kvproof::python {
namespace {

using MaybeArray = std::optional<py::array>;

CacheArguments cache(const py::array& keys, const py::array& values, const MaybeArray& queries,
                     const MaybeArray& calibration_keys, const MaybeArray& calibration_values,
                     const MaybeArray& calibration_queries, bool self, std::shared_ptr<Table> table) {
    CacheArguments out{MemorySource(keys, values, queries, ""), {}, self, std::move(table), {keys, values}};
    if (queries) out.arrays.push_back(*queries);
    if (calibration_keys && calibration_values) {
        out.calibration.emplace(*calibration_keys, *calibration_values, calibration_queries, "calibration ");
        out.arrays.push_back(*calibration_keys);
        out.arrays.push_back(*calibration_values);
        if (calibration_queries) out.arrays.push_back(*calibration_queries);
    }
    return out;
}

CacheOptions options(const std::string& reader, const std::string& transform, std::uint64_t seed,
                     const std::string& value_scale, const std::string& pool, std::vector<int> rows,
                     unsigned threads) {
    return {reader, transform, seed, value_scale, pool, std::move(rows), threads};
}

} // namespace

void bind_cache(py::module_& module) {
    py::class_<CacheArguments>(module, "Cache",
                               "A cache in C-contiguous arrays, viewed, with its calibration.")
        .def(py::init(&cache), py::arg("keys").noconvert(), py::arg("values").noconvert(),
             py::arg("queries").noconvert(), py::arg("calibration_keys").noconvert(),
             py::arg("calibration_values").noconvert(), py::arg("calibration_queries").noconvert(),
             py::arg("calibrate_on_itself"), py::arg("table"));
    py::class_<CacheOptions>(module, "CacheOptions", "How a cache is read.")
        .def(py::init(&options), py::arg("reader"), py::arg("transform"), py::arg("seed"),
             py::arg("value_scale"), py::arg("pool"), py::arg("rows"), py::arg("threads"));
}

} // namespace kvproof::python
