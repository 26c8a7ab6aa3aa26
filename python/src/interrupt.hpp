#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <thread>

namespace kvproof::python {

/// Ctrl-C in a long call that has let go of the interpreter: what the library asks whether to stop. Only the
/// thread that made the call can be interrupted, and Python's handlers run nowhere else.
class Interrupt {
public:
    /// Whether a signal handler has raised; the exception is kept for rethrow().
    bool requested() {
        if (std::this_thread::get_id() != caller_) return false;
        if (raised_) return true;
        const pybind11::gil_scoped_acquire python;
        if (PyErr_CheckSignals() == 0) return false;
        raised_.emplace();
        return true;
    }

    /// The same, thrown at once.
    void check() {
        if (requested()) throw *raised_;
    }

    void rethrow() const {
        if (raised_) throw *raised_;
    }

private:
    std::thread::id caller_ = std::this_thread::get_id();
    std::optional<pybind11::error_already_set> raised_;
};

} // namespace kvproof::python
