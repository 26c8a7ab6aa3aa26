#include "python/src/table.hpp"

#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"

#include "lib/codec/codebook_file.hpp"
#include "lib/codec/prefix_decoder.hpp"
#include "lib/error.hpp"

#include <algorithm>

namespace py = pybind11;

namespace kvproof::python {
namespace {

constexpr int deepest = 8; // a code is one byte

void require_codes_of_a_byte(int depth, const std::string& source) {
    if (depth < 1 || depth > deepest)
        throw Error(ErrorCode::depth_out_of_range,
                    source + ": found depth " + std::to_string(depth) + ", expected 1 to 8");
}

std::shared_ptr<Table> gaussian_table(int depth) {
    require_codes_of_a_byte(depth, "depth");
    return std::make_shared<Table>(gaussian_code(depth));
}

std::shared_ptr<Table> table_of_file(const std::string& path) {
    const Codebook<float> codebook = read_codebook(path);
    require_codes_of_a_byte(codebook.depth(), path);
    return std::make_shared<Table>(code_of(codebook));
}

/// Rows of x, each of as many numbers as there are means; one mean and scale for all where there is one.
/// Numbers that are no doubles go through a buffer of one row.
template <class Number>
py::array_t<std::uint8_t> bound_encode(const Table& table, const Input<Number>& x, const Input<double>& mean,
                                       const Input<double>& scale) {
    py::array_t<std::uint8_t> codes(sides_of(x));
    const std::span<std::uint8_t> out = writable_entries(codes);
    const std::span<const Number> in = entries(x);
    const std::span<const double> mu = entries(mean);
    const std::span<const double> sigma = entries(scale);
    const py::gil_scoped_release others_may_run;
    constexpr std::size_t piece = 4096;
    const std::size_t step = mu.size() == 1 ? piece : mu.size();
    std::vector<double> buffer;
    for (std::size_t at = 0; at < in.size(); at += step) {
        const std::size_t count = std::min(step, in.size() - at);
        std::span<const double> numbers;
        if constexpr (std::is_same_v<Number, double>) {
            numbers = in.subspan(at, count);
        } else {
            buffer.assign(in.begin() + static_cast<std::ptrdiff_t>(at),
                          in.begin() + static_cast<std::ptrdiff_t>(at + count));
            numbers = buffer;
        }
        require_finite(numbers, at, "x");
        if (mu.size() == 1)
            table.encoder.encode_channel(numbers, mu[0], sigma[0], out.subspan(at, count));
        else
            table.encoder.encode_token(numbers, mu, sigma, out.subspan(at, count));
    }
    return codes;
}

py::array_t<double> bound_decode(const Table& table, const Input<std::uint8_t>& codes, int depth,
                                 const Input<double>& mean, const Input<double>& scale) {
    py::array_t<double> numbers(sides_of(codes));
    const std::span<double> out = writable_entries(numbers);
    const std::span<const std::uint8_t> in = entries(codes);
    const std::span<const double> mu = entries(mean);
    const std::span<const double> sigma = entries(scale);
    const py::gil_scoped_release others_may_run;
    const PrefixDecoder decoder(table.code.codebook, depth);
    if (mu.size() == 1) {
        decoder.decode_channel(in, mu[0], sigma[0], out);
        return numbers;
    }
    for (std::size_t at = 0; at < in.size(); at += mu.size())
        decoder.decode_token(in.subspan(at, mu.size()), mu, sigma, out.subspan(at, mu.size()));
    return numbers;
}

py::list levels(const std::vector<std::vector<float>>& lists, const py::object& owner) {
    py::list out;
    for (const std::vector<float>& list : lists) out.append(view(list, owner));
    return out;
}

} // namespace

void bind_table(py::module_& module) {
    py::class_<Table, std::shared_ptr<Table>>(
        module, "Table", "A nested code: boundaries and centroids of each depth, and what they cost.")
        .def("__repr__",
             [](const Table& table) {
                 return "<kvproof.Table of depth " + std::to_string(table.code.depth()) + ">";
             })
        .def_property_readonly(
            "depth", [](const Table& table) { return table.code.depth(); }, "W")
        .def_property_readonly(
            "boundaries",
            [](const py::object& self) {
                return levels(self.cast<const Table&>().code.codebook.boundaries, self);
            },
            "float32 arrays [2^t - 1], one for each depth t")
        .def_property_readonly(
            "centroids",
            [](const py::object& self) {
                return levels(self.cast<const Table&>().code.codebook.centroids, self);
            },
            "float32 arrays [2^t], one for each depth t")
        .def_property_readonly(
            "distortion",
            [](const py::object& self) { return view(self.cast<const Table&>().code.distortion, self); },
            "float64 [W + 1]")
        .def_property_readonly(
            "gain", [](const py::object& self) { return view(self.cast<const Table&>().code.gain, self); },
            "float64 [W]")
        .def("encode", &bound_encode<double>, py::arg("x").noconvert(), py::arg("mean"), py::arg("scale"),
             "Codes in the shape of x.")
        .def("encode", &bound_encode<float>, py::arg("x").noconvert(), py::arg("mean"), py::arg("scale"),
             "Codes in the shape of x.")
        .def("decode", &bound_decode, py::arg("codes").noconvert(), py::arg("depth"), py::arg("mean"),
             py::arg("scale"), "Numbers in the shape of the codes.");
    module.def("gaussian_table", &gaussian_table, py::arg("depth"), py::call_guard<py::gil_scoped_release>(),
               "The Gaussian Lloyd tree of this depth.");
    module.def("table_of_file", &table_of_file, py::arg("path"), py::call_guard<py::gil_scoped_release>(),
               "A codebook file, with its true distortions.");
}

} // namespace kvproof::python
