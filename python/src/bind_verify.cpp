#include "python/src/bindings.hpp"
#include "python/src/interrupt.hpp"

#include "lib/codec/codebook_file.hpp"
#include "proofs/results_json.hpp"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace kvproof::python {
namespace {

std::string bound_verify(const std::vector<std::string>& patterns, bool full_effort,
                         const std::string& codebook) {
    Interrupt interrupt;
    const py::gil_scoped_release others_may_run;
    const std::vector<Claim> claims = select_claims(patterns);
    const CertifiedQuantities quantities =
        codebook.empty() ? CertifiedQuantities() : CertifiedQuantities(read_codebook(codebook));
    Effort effort;
    effort.full = full_effort;
    const Context context{quantities, effort};
    const std::string codebook_name = std::filesystem::path(codebook).filename().string();
    std::vector<Result> results;
    for (const Claim& claim : claims) {
        interrupt.check();
        results.push_back(verify_claim(claim, context, codebook_name));
    }
    return results_json(results, certificates_of(results, context), false);
}

} // namespace

void bind_verify(py::module_& module) {
    module.def("verify", &bound_verify, py::arg("patterns"), py::arg("full_effort"), py::arg("codebook"),
               "results.json as `kvproof verify --format json` prints it.");
}

} // namespace kvproof::python
