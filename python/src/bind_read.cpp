#include "python/src/arrays.hpp"
#include "python/src/bindings.hpp"
#include "python/src/cache_arguments.hpp"
#include "python/src/interrupt.hpp"

#include "lib/reader/prefix_reader.hpp"
#include "sim/on_threads.hpp"

#include <algorithm>

namespace py = pybind11;

namespace kvproof::python {
namespace {

/// What the calls of all layers gave, [L, rows] and further sides.
struct Readings {
    std::vector<double> outputs; ///< [.., H, d_h]
    std::vector<std::uint64_t> payload_bits;
    std::vector<std::uint64_t> overhead_bits;
    std::vector<std::uint8_t> key_depths;   ///< [.., G, d_h], empty without a prefix schedule
    std::vector<std::uint8_t> value_depths; ///< [.., G, T], 0 for what a call does not see
    std::uint64_t stored_bits = 0;
};

/// The depths of one call, [heads, n] of [heads, most].
void copy_depths(const Schedule& schedule, std::size_t heads, std::size_t n, std::size_t most,
                 std::uint8_t* out) {
    for (std::size_t g = 0; g < heads; ++g)
        std::copy_n(schedule.depths.begin() + static_cast<std::ptrdiff_t>(g * n), n, out + g * most);
}

/// Call number `at` of all, for the query row of this layer.
void answer_row(const StoredLayer& stored, const CaptureLayer& layer, int row, std::size_t at,
                Readings& out) {
    const CaptureShape& shape = layer.shape;
    const int tokens = shape.position(row) + 1;
    const std::vector<double> queries = layer.queries_at(row);
    Answer answer;
    if (const auto* const prefix = dynamic_cast<const PrefixLayer*>(&stored);
        prefix != nullptr && !out.key_depths.empty()) {
        TwoStageCall call;
        prefix->reader().run(queries, tokens, call);
        answer = {prefix->reader().outputs(call), call.key_bits + call.value_bits, prefix->call_overhead()};
        const auto heads = static_cast<std::size_t>(shape.kv_heads);
        const auto d = static_cast<std::size_t>(shape.dim);
        const auto most = static_cast<std::size_t>(shape.tokens);
        copy_depths(call.key_schedule, heads, d, d, out.key_depths.data() + at * heads * d);
        copy_depths(call.value_schedule, heads, static_cast<std::size_t>(tokens), most,
                    out.value_depths.data() + at * heads * most);
    } else {
        answer = stored.answer(queries, tokens);
    }
    std::ranges::copy(answer.outputs,
                      out.outputs.begin() + static_cast<std::ptrdiff_t>(at * answer.outputs.size()));
    out.payload_bits[at] = answer.payload_bits;
    out.overhead_bits[at] = answer.overhead_bits;
}

/// Places for what the calls give; depths only where all layers have them.
Readings empty_readings(const CaptureShape& shape, std::size_t calls, bool depths) {
    Readings out;
    const auto dim = static_cast<std::size_t>(shape.dim);
    const std::size_t heads = depths ? static_cast<std::size_t>(shape.kv_heads) : 0;
    out.outputs.resize(calls * static_cast<std::size_t>(shape.query_heads) * dim);
    out.payload_bits.resize(calls);
    out.overhead_bits.resize(calls);
    out.key_depths.resize(calls * heads * dim);
    out.value_depths.resize(calls * heads * static_cast<std::size_t>(shape.tokens));
    return out;
}

Readings read_all(const CacheRun& run, const CacheOptions& options, bool depths, Interrupt& interrupt) {
    const std::size_t rows = options.rows.size();
    Readings out = empty_readings(run.shape(), static_cast<std::size_t>(run.shape().layers) * rows, depths);
    const Executor executor = on_threads(options.threads);
    for (int index = 0; index < run.shape().layers; ++index) {
        interrupt.check();
        const KeptLayer layer = run.layer(index);
        const std::unique_ptr<StoredLayer> stored = run.reader().encode(layer.input(), run.settings());
        if (depths && dynamic_cast<const PrefixLayer*>(stored.get()) == nullptr)
            throw Error(ErrorCode::bad_option, "depths: found the reader \"" + options.reader +
                                                   "\", expected one of ReadKV's family, which has prefixes");
        executor(rows, [&](std::size_t i) {
            interrupt.check();
            answer_row(*stored, layer.tested, options.rows[i], static_cast<std::size_t>(index) * rows + i,
                       out);
        });
        out.stored_bits += stored->stored_bits(run.shape().tokens);
    }
    out.stored_bits += run.reader().shared_bits();
    return out;
}

py::dict bound_read(const CacheArguments& arguments, const CacheOptions& options, bool depths) {
    Readings readings;
    Interrupt interrupt;
    const CaptureShape shape = arguments.tested.shape();
    {
        const py::gil_scoped_release others_may_run;
        const CacheRun run = arguments.run(options);
        readings = read_all(run, options, depths, interrupt);
    }
    const py::ssize_t layers = shape.layers;
    const auto rows = static_cast<py::ssize_t>(options.rows.size());
    py::dict out;
    out["outputs"] = owning(std::move(readings.outputs), {layers, rows, shape.query_heads, shape.dim});
    out["payload_bits"] = owning(std::move(readings.payload_bits), {layers, rows});
    out["overhead_bits"] = owning(std::move(readings.overhead_bits), {layers, rows});
    out["stored_bits"] = readings.stored_bits;
    if (depths) {
        out["key_depths"] = owning(std::move(readings.key_depths), {layers, rows, shape.kv_heads, shape.dim});
        out["value_depths"] =
            owning(std::move(readings.value_depths), {layers, rows, shape.kv_heads, shape.tokens});
    }
    return out;
}

} // namespace

void bind_read(py::module_& module) {
    module.def("read", &bound_read, py::arg("arguments"), py::arg("options"), py::arg("depths"),
               "Outputs [L, rows, H, d_h], the bits of each call, and the depths where asked for.");
}

} // namespace kvproof::python
