#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/cache_arguments.hpp"
#include "python/src/interrupt.hpp"

#include "sim/on_threads.hpp"

namespace py = pybind11;

namespace kvproof::python {
namespace {

py::dict bound_certify(const CacheArguments& arguments, const CacheOptions& options,
                       const std::string& centre) {
    std::vector<Certified> rows;
    std::uint64_t bits_read = 0, dense_bits = 0, stored_bits = 0, saturated = 0;
    Interrupt interrupt;
    {
        const py::gil_scoped_release others_may_run;
        const CacheRun run = arguments.run(options);
        const CertificateOptions certificate{centre == "mean" ? Centre::mean : Centre::zero,
                                             options.pool == "head"};
        const Executor executor = on_threads(options.threads);
        for (int index = 0; index < run.shape().layers; ++index) {
            interrupt.check();
            const KeptLayer layer = run.layer(index);
            Measured measured = measure(run.reader(), layer.input(), run.settings(), options.rows, true,
                                        certificate, executor, [&] { interrupt.check(); });
            bits_read += measured.bits_read;
            dense_bits += measured.dense_bits;
            stored_bits += measured.stored_bits;
            saturated += measured.saturated;
            rows.insert(rows.end(), measured.rows.begin(), measured.rows.end());
        }
        stored_bits += run.reader().shared_bits();
    }
    const auto count = static_cast<py::ssize_t>(rows.size());
    py::dict out;
    out["rows"] = owning(std::move(rows), {count});
    out["bits_read"] = bits_read;
    out["dense_bits"] = dense_bits;
    out["stored_bits"] = stored_bits;
    out["saturated"] = saturated;
    return out;
}

} // namespace

void bind_certify(py::module_& module) {
    // named as the columns of ROWS.csv, where it has them
    PYBIND11_NUMPY_DTYPE_EX(
        Certified, layer, "layer", head, "head", position, "position", certified, "certified", key_bits,
        "key_bits", value_bits, "value_bits", key_budget, "key_budget", value_budget, "value_budget",
        error_sq, "error_sq", output_sq, "output_sq", logit_error_sq, "logit_error_sq", a_k, "A_K", a_v,
        "A_V", s_k, "S_K", s_v, "S_V", gamma_k, "gamma_K", gamma_v, "gamma_V", kappa_k, "kappa_K", kappa_v,
        "kappa_V", centre_norm_sq, "centre_norm_sq", bound, "bound", sharp_bound, "sharp_bound",
        attention_bound_sq, "attention_bound_sq", attention_term_sq, "attention_term_sq", value_bound_sq,
        "value_bound_sq", value_term_sq, "value_term_sq", discrimination, "discrimination", logit_variance,
        "logit_variance", by_transport, "by_transport");
    module.def("certify", &bound_certify, py::arg("arguments"), py::arg("options"), py::arg("centre"),
               "Rows [layer, query row, head] of errors and bounds, and the bits.");
}

} // namespace kvproof::python
