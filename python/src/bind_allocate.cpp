#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"

#include "lib/allocate/choose_depths.hpp"

namespace py = pybind11;

namespace kvproof::python {
namespace {

template <class Number>
std::pair<py::array_t<std::uint8_t>, std::uint64_t>
bound_choose_depths(const Input<Number>& weights, const Input<Number>& gains, std::uint64_t budget) {
    py::array_t<std::uint8_t> depths(sides_of(weights));
    const auto out = writable_entries(depths);
    std::uint64_t spent = 0;
    {
        const py::gil_scoped_release others_may_run;
        AllocationWorkspace workspace;
        spent = choose_depths(entries(weights), entries(gains), budget, out, workspace);
    }
    return {depths, spent};
}

} // namespace

void bind_allocate(py::module_& module) {
    constexpr const char* doc = "Depths in the shape of the weights, and the increments spent.";
    module.def("choose_depths", &bound_choose_depths<float>, py::arg("weights").noconvert(),
               py::arg("gains").noconvert(), py::arg("budget"), doc);
    module.def("choose_depths", &bound_choose_depths<double>, py::arg("weights").noconvert(),
               py::arg("gains").noconvert(), py::arg("budget"), doc);
}

} // namespace kvproof::python
