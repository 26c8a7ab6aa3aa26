#include "python/src/memory_source.hpp"

#include "lib/error.hpp"

namespace py = pybind11;

namespace kvproof::python {
namespace {

std::string format_name(const py::dtype& type, const std::string& name) {
    if (type.equal(py::dtype("float16"))) return "F16";
    if (type.equal(py::dtype("float32"))) return "F32";
    if (type.equal(py::dtype("float64"))) return "F64";
    if (type.equal(py::dtype("uint16"))) return "BF16";
    throw Error(ErrorCode::bad_capture, name + ": found dtype " +
                                            py::str(py::handle(type)).cast<std::string>() +
                                            ", expected float16, float32, float64 or uint16 (bfloat16)");
}

TensorView view_of(const py::array& array, const std::string& name) {
    TensorView out{name, format_name(array.dtype(), name), {}, {}};
    for (py::ssize_t i = 0; i < array.ndim(); ++i)
        out.shape.push_back(static_cast<std::uint64_t>(array.shape(i)));
    out.data = {static_cast<const char*>(array.data()), static_cast<std::size_t>(array.nbytes())};
    return out;
}

[[noreturn]] void refuse(const TensorView& array, const std::string& expected) {
    throw Error(ErrorCode::bad_capture,
                array.name + ": found shape " + shape_text(array.shape) + ", expected " + expected);
}

std::vector<double> layer_of(const TensorView& array, std::uint64_t layers, int index,
                             const std::string& source) {
    if (array.data.empty()) return {};
    TensorView part = array;
    part.shape.erase(part.shape.begin());
    const std::size_t bytes = array.data.size() / layers;
    part.data = array.data.substr(bytes * static_cast<std::size_t>(index), bytes);
    return float_tensor(part, source).values;
}

} // namespace

MemorySource::MemorySource(const py::array& keys, const py::array& values,
                           const std::optional<py::array>& queries, const std::string& role)
    : source_(role + "arrays"), role_(role), keys_(view_of(keys, role + "keys")),
      values_(view_of(values, role + "values")) {
    constexpr std::uint64_t largest = 1U << 30U;
    for (const TensorView* const array : {&keys_, &values_}) {
        if (array->shape.size() != 4) refuse(*array, "[L, G, T, d_h]");
        for (const std::uint64_t side : array->shape)
            if (side == 0 || side > largest) refuse(*array, "sides from 1 to 2^30");
    }
    if (values_.shape != keys_.shape) refuse(values_, shape_text(keys_.shape) + " as of the keys");
    const auto side = [](const TensorView& array, std::size_t i) { return static_cast<int>(array.shape[i]); };
    shape_ = {.layers = side(keys_, 0),
              .kv_heads = side(keys_, 1),
              .dim = side(keys_, 3),
              .tokens = side(keys_, 2)};
    if (!queries) return;
    queries_ = view_of(*queries, role + "queries");
    const Shape& q = queries_.shape;
    if (q.size() != 4 || q[0] != keys_.shape[0] || q[3] != keys_.shape[3] || q[1] == 0 ||
        q[1] % keys_.shape[1] != 0 || q[1] > largest || q[2] == 0 || q[2] > keys_.shape[2])
        refuse(queries_,
               "[L, H, Tq, d_h] with H a multiple of G and Tq at most T for keys " + shape_text(keys_.shape));
    shape_.query_heads = side(queries_, 1);
    shape_.queries = side(queries_, 2);
}

CaptureLayer MemorySource::layer(int index) const {
    const auto layers = static_cast<std::uint64_t>(shape_.layers);
    const std::string place = role_ + "layer " + std::to_string(index);
    CaptureLayer out;
    out.shape = shape_;
    out.q = layer_of(queries_, layers, index, place);
    out.k = layer_of(keys_, layers, index, place);
    out.v = layer_of(values_, layers, index, place);
    return out;
}

} // namespace kvproof::python
