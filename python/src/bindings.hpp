#pragma once
// The native half of the module `kvproof`: each file binds one idea, hands arrays over and computes nothing
// itself.

#include <pybind11/pybind11.h>

namespace kvproof::python {

void bind_account(pybind11::module_& module);
void bind_allocate(pybind11::module_& module);
void bind_cache(pybind11::module_& module);
void bind_certify(pybind11::module_& module);
void bind_probe(pybind11::module_& module);
void bind_read(pybind11::module_& module);
void bind_table(pybind11::module_& module);
void bind_verify(pybind11::module_& module);

} // namespace kvproof::python
