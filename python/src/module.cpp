#include "python/src/bindings.hpp"

#include "lib/error.hpp"
#include "lib/version.hpp"

namespace kvproof::python {
namespace {

/// What the input is to blame for is a ValueError with the library's own line; the rest is a RuntimeError.
void translate(std::exception_ptr thrown) {
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
        constexpr int bad_input = 2;
        const bool refused = error_entry(error.code()).exit_status == bad_input;
        PyErr_SetString(refused ? PyExc_ValueError : PyExc_RuntimeError, error.what());
    }
}

} // namespace

PYBIND11_MODULE(_kvproof, module) {
    module.doc() =
        "The native half of kvproof: see the package's own functions, which check their arguments.";
    module.attr("__version__") = std::string(version());
    pybind11::register_local_exception_translator(translate);
    bind_table(module); // first: others speak of tables
    bind_account(module);
    bind_allocate(module);
    bind_cache(module);
    bind_certify(module);
    bind_probe(module);
    bind_read(module);
    bind_verify(module);
}

} // namespace kvproof::python
