#include "app/capture_options.hpp"
#include "app/device.hpp"
#include "app/progress.hpp"
#include "app/statistics.hpp"
#include "gpu/from_library/readkv_reader.hpp"
#include "lib/error.hpp"
#include "sim/on_threads.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvproof::app {
namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
    CaptureOptions capture;
    std::vector<std::string> readers;
    std::string device = "cpu";
};

/// One reader over all chosen layers.
struct Compared {
    std::string reader;
    std::vector<double> errors; ///< ||o - o^||^2 / ||o||^2
    std::uint64_t bits_read = 0;
    std::uint64_t dense_bits = 0;
    std::uint64_t stored_bits = 0;
    std::uint64_t dense_stored = 0;
    std::uint64_t saturated = 0;
};

/// An error of an output of zero is none, or counts as total.
double relative(const Certified& row) {
    if (row.output_sq > 0) return row.error_sq / row.output_sq;
    return row.error_sq > 0 ? 1 : 0;
}

Compared compared(const std::string& name, const CaptureRun& run, const std::vector<Measured>& layers,
                  std::uint64_t shared_bits) {
    const CaptureShape& shape = run.capture().shape();
    Compared out;
    out.reader = name;
    out.stored_bits = shared_bits;
    for (const Measured& layer : layers) {
        for (const Certified& row : layer.rows) out.errors.push_back(relative(row));
        out.bits_read += layer.bits_read;
        out.dense_bits += layer.dense_bits;
        out.stored_bits += layer.stored_bits;
        out.dense_stored += std::uint64_t{2} * 16 * shape.kv_heads * shape.dim * shape.tokens;
        out.saturated += layer.saturated;
    }
    return out;
}

Json row_json(const Compared& row) {
    std::vector<double> sorted = row.errors;
    std::ranges::sort(sorted);
    Json out = {
        {"reader", row.reader},
        {"relative_error", mean(row.errors)},
        {"median", quantile(sorted, 0.5)},
        {"max", sorted.back()},
        {"reads_percent", 100.0 * static_cast<double>(row.bits_read) / static_cast<double>(row.dense_bits)},
        {"capacity_percent",
         100.0 * static_cast<double>(row.stored_bits) / static_cast<double>(row.dense_stored)},
        {"bits_read", std::to_string(row.bits_read)},
        {"bits_stored", std::to_string(row.stored_bits)}};
    if (row.saturated > 0) out["saturated"] = row.saturated;
    return out;
}

std::string text_table(const std::vector<Compared>& rows, const CaptureRun& run) {
    const CaptureShape& shape = run.capture().shape();
    std::string out = fmt::format(
        "{}: {} layers, {} query heads, {} KV heads, d_h {}, {} tokens, {} queries\n", run.capture().source(),
        run.layers().size(), shape.query_heads, shape.kv_heads, shape.dim, shape.tokens, run.rows().size());
    out += fmt::format("{:<28}{:>12}{:>12}{:>12}{:>10}{:>12}\n", "reader", "mean error", "median", "max",
                       "reads %", "capacity %");
    for (const Compared& row : rows) {
        const Json json = row_json(row);
        out += fmt::format("{:<28}{:>12.3e}{:>12.3e}{:>12.3e}{:>10.3f}{:>12.3f}\n", row.reader,
                           json["relative_error"].get<double>(), json["median"].get<double>(),
                           json["max"].get<double>(), json["reads_percent"].get<double>(),
                           json["capacity_percent"].get<double>());
    }
    return out;
}

/// On a device where it is wanted and the reader has bodies; else on the processor.
std::unique_ptr<Reader> reader_of(const std::string& name, int layers, const std::string& device) {
    if (device == "cuda" && parse_system(name).kind == System::Kind::readkv)
        return gpu::readkv_by_bodies(parse_system(name), layers, device_server());
    return make_reader(name, layers);
}

int compare(const CompareOptions& options) {
    if (options.device == "cuda") static_cast<void>(device_server()); // refuses before anything is read
    const CaptureRun run(options.capture);
    const CaptureShape& shape = run.capture().shape();
    const bool named = !options.readers.empty();
    std::vector<std::string> names;
    std::vector<std::unique_ptr<Reader>> readers;
    std::vector<std::string> left_out;
    for (const std::string& name : named ? options.readers : default_readers(shape)) {
        auto reader = reader_of(name, shape.layers, options.device);
        if (reader->needs_calibration() && !run.has_calibration())
            throw Error(ErrorCode::bad_option,
                        "--calibration: found none, expected a capture or self, which " + name + " needs");
        try {
            run.prepare(*reader);
        } catch (const Error& error) {
            // What the user did not name cannot be a mistake of the user: say so and go on.
            if (named || error.code() != ErrorCode::bad_capture) throw;
            left_out.push_back(name + ": " + error.what());
            continue;
        }
        names.push_back(name);
        readers.push_back(std::move(reader));
    }
    const Executor executor = on_threads(options.capture.common.threads);
    Progress progress(readers.size() * run.layers().size() * blocks_of(run.rows()),
                      options.capture.common.quiet);
    std::vector<std::vector<Measured>> measured(readers.size());
    for (const int index : run.layers()) {
        const KeptLayer layer = run.layer(index);
        for (std::size_t r = 0; r < readers.size(); ++r)
            measured[r].push_back(measure(*readers[r], layer.input(), run.settings(), run.rows(), false, {},
                                          executor, [&] { progress.step(names[r]); }));
    }
    std::vector<Compared> rows;
    for (std::size_t r = 0; r < readers.size(); ++r)
        rows.push_back(compared(names[r], run, measured[r], readers[r]->shared_bits()));
    if (options.capture.common.format == "json") {
        Json out = run.configuration();
        if (options.device != "cpu") out["device"] = options.device;
        out["rows"] = Json::array();
        for (const Compared& row : rows) out["rows"].push_back(row_json(row));
        out["left_out"] = left_out;
        print(out.dump(2) + "\n");
    } else {
        print(text_table(rows, run));
    }
    for (const Compared& row : rows)
        if (row.saturated > 0)
            fmt::print(stderr, "kvproof: note: {}: {} numbers did not fit 16 bits and were kept as +-65504\n",
                       row.reader, row.saturated);
    for (const std::string& reason : left_out) fmt::print(stderr, "kvproof: note: left out: {}\n", reason);
    for (const std::string& note : run.capture().notes()) fmt::print(stderr, "kvproof: note: {}\n", note);
    return 0;
}

} // namespace

void add_compare(CLI::App& app, Status& status) {
    const auto options = std::make_shared<CompareOptions>();
    CLI::App* verb =
        app.add_subcommand("compare", "Run every system of the papers on the same captured attention");
    add_capture_options(*verb, options->capture);
    verb->add_option("--reader", options->readers, "Only this system; may be given several times")
        ->allow_extra_args(false);
    add_device_option(*verb, options->device, "Where readkv:W,R runs: on cuda in binary32");
    add_common_options(*verb, options->capture.common, {"text", "json"});
    verb->footer(
        "Errors are ||o - o^||^2 / ||o||^2 over layers, heads and queries, o the exact attention output. "
        "Reads are\n"
        "the bits that the calls touched, in percent of a 16-bit cache; capacity is what is kept for all "
        "tokens.\n"
        "Systems: dense, readkv:W,R, readkv:W,RK,RV, full:W, uniform:R, calibration:W,RK,RV,\n"
        "two-level:LOW,W,RK,RV[,keys|values|both], readkv-gpu:W,R, lloyd2, kivi:BITS, turboquant, "
        "sparq:r,k,\n"
        "sparq-nested:r,k, kvquant:BITS, kvtc:BITS, palu:RANK,BITS, aatc:BITS and aatc-var:BITS with any of\n"
        ",plain ,repaired ,groups=N (kvtc, palu and aatc are left out by default where the calibration lacks "
        "what\n"
        "they need); with +protect the first two and last two layers stay dense.\n"
        "docs/readers.md says what each one does.\n"
        "Example:\n"
        "  kvproof compare tests/data/captures/byte64_test.safetensors \\\n"
        "    --calibration tests/data/captures/byte64_calib.safetensors");
    verb->callback([options, &status] { status = compare(*options); });
}

} // namespace kvproof::app
