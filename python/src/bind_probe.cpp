#include "python/src/bindings.hpp"
#include "python/src/interrupt.hpp"

#include "lib/codec/nested_code.hpp"
#include "lib/error.hpp"
#include "sim/probe/report.hpp"

#include <chrono>

namespace py = pybind11;

namespace kvproof::python {
namespace {

constexpr int stored_depth = 8;
constexpr Bits accuracy = 128;

std::string bound_probe(const std::string& family, int bits, int probes, const std::string& access,
                        const std::string& coins, double time_limit) {
    Interrupt interrupt;
    const py::gil_scoped_release others_may_run;
    const auto start = std::chrono::steady_clock::now();
    const StopRequest stop = [&] {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        return (time_limit > 0 && spent.count() >= time_limit) || interrupt.requested();
    };
    ProbeReport report{.family = make_family(family), .lines = {}, .beside = {}};
    const ProbeEngines engines(report.family);
    ProbeLine line{{parse_access_class(access), bits, probes}, {}, {}};
    if (coins != "public") line.deterministic = engines.deterministic(line.cell, {}, stop);
    interrupt.rethrow();
    if (coins != "none") line.randomised = engines.randomised(line.cell, stop);
    interrupt.rethrow();
    ProbeBeside beside{bits, probes, {}, {}};
    if (!report.family.source_points.empty()) {
        beside.readkv = readkv_reach(report.family, gaussian_code(stored_depth), bits, probes);
        beside.converse = query_independent_converse(report.family, bits, probes, accuracy);
    }
    report.lines.push_back(std::move(line));
    report.beside.push_back(std::move(beside));
    return probe_json(report);
}

} // namespace

void bind_probe(py::module_& module) {
    module.def("probe", &bound_probe, py::arg("family"), py::arg("bits"), py::arg("probes"),
               py::arg("access"), py::arg("coins"), py::arg("time_limit"),
               "What `kvproof probe --format json` prints.");
}

} // namespace kvproof::python
