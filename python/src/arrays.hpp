#pragma once
// numpy arrays and what the library works on, without copies.

#include "lib/error.hpp"

#include <pybind11/numpy.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kvproof::python {

/// An argument of this dtype and in C order; anything else is a TypeError here, for the package brings arrays
/// into shape, or refuses them with a better line, before.
template <class Number>
using Input = pybind11::array_t<Number, pybind11::array::c_style>;

template <class Number>
std::span<const Number> entries(const Input<Number>& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
}

template <class Number>
std::span<Number> writable_entries(pybind11::array_t<Number>& array) {
    return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

using Sides = std::vector<pybind11::ssize_t>;

inline Sides sides_of(const pybind11::array& array) {
    return {array.shape(), array.shape() + array.ndim()};
}

/// A numpy array of these sides that owns the vector's memory.
template <class Entry>
pybind11::array_t<Entry> owning(std::vector<Entry> values, const Sides& sides) {
    auto* const held = new std::vector<Entry>(std::move(values));
    const pybind11::capsule owner(held,
                                  [](void* memory) { delete static_cast<std::vector<Entry>*>(memory); });
    return pybind11::array_t<Entry>(sides, held->data(), owner);
}

/// A numpy array of one dimension over memory that lives as long as `owner`; nobody can write to it.
template <class Entry>
pybind11::array_t<Entry> view(const std::vector<Entry>& values, const pybind11::object& owner) {
    pybind11::array_t<Entry> out(static_cast<pybind11::ssize_t>(values.size()), values.data(), owner);
    out.attr("flags").attr("writeable") = false;
    return out;
}

/// Throws Error(bad_option) that names the argument and the place in C order of the first NaN or infinity.
template <class Number>
void require_finite(std::span<const Number> values, std::size_t first, const std::string& name) {
    Number all = 0;
    for (const Number value : values) all += value - value; // 0, or NaN
    if (all == 0) return;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            throw Error(ErrorCode::bad_option, name + ": found " + std::to_string(values[i]) + " at " +
                                                   std::to_string(first + i) + ", expected finite numbers");
}

} // namespace kvproof::python
