#include "python/src/bindings.hpp"

#include "lib/account/percent.hpp"

namespace py = pybind11;

namespace kvproof::python {
namespace {

py::int_ number(const Integer& value) {
    return py::int_(py::str(value.str()));
}

py::dict parts(const Cost& cost) {
    py::dict out;
    for (const CostPart part : all_parts()) out[py::str(std::string(part_name(part)))] = number(cost[part]);
    return out;
}

py::dict bound_account(const std::string& model_text, const std::string& system_text,
                       const std::string& run_text, long capacity_at) {
    const ModelGeometry model = parse_model(model_text);
    const System system = parse_system(system_text);
    const AttentionRun run = parse_run(run_text);
    const long length = capacity_at == 0 ? run.reference : capacity_at;
    py::dict out;
    out["model"] = model.name;
    out["capacity_at"] = length;
    out["reads_percent"] = to_string(reads_percent(system, model, run));
    out["capacity_percent"] = to_string(capacity_percent(system, model, length));
    out["reads"] = parts(model_read_bits(system, model, run));
    out["capacity"] = parts(model_capacity_bits(system, model, length));
    out["dense_reads"] = number(model_read_bits(System{}, model, run).total());
    out["dense_capacity"] = number(model_capacity_bits(System{}, model, length).total());
    return out;
}

} // namespace

void bind_account(py::module_& module) {
    module.def("account", &bound_account, py::arg("model"), py::arg("system"), py::arg("run"),
               py::arg("capacity_at"), "Exact bits and percents; capacity_at 0 is the run's own length.");
}

} // namespace kvproof::python
