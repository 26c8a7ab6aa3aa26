#include "app/capture_options.hpp"

#include "lib/codec/codebook_file.hpp"
#include "lib/error.hpp"

#include <charconv>
#include <numeric>

namespace kvproof::app {
namespace {

constexpr int code_depth = 8;

[[noreturn]] void refuse(const std::string& option, const std::string& found, const std::string& expected) {
    throw Error(ErrorCode::bad_option, option + ": found \"" + found + "\", expected " + expected);
}

std::optional<int> whole_number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

std::vector<int> chosen_layers(const std::string& text, int count) {
    std::vector<int> out;
    if (text == "all") {
        for (int layer = 0; layer < count; ++layer) out.push_back(layer);
        return out;
    }
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const auto layer = whole_number(std::string_view(text).substr(at, comma - at));
        if (!layer || *layer >= count || (!out.empty() && *layer <= out.back()))
            refuse("--layers", text,
                   "all or ascending layer numbers below " + std::to_string(count) + ", such as 0,2");
        out.push_back(*layer);
        at = comma + 1;
    }
    return out;
}

QueryRows chosen_rows(const std::string& text, int count) {
    int first = 0;
    int step = 1;
    if (text.starts_with("last:")) {
        const auto wanted = whole_number(std::string_view(text).substr(5));
        if (!wanted || *wanted < 1) refuse("--queries", text, "all, last:N or every:N with N >= 1");
        first = std::max(0, count - *wanted);
    } else if (text.starts_with("every:")) {
        const auto wanted = whole_number(std::string_view(text).substr(6));
        if (!wanted || *wanted < 1) refuse("--queries", text, "all, last:N or every:N with N >= 1");
        step = *wanted;
    } else if (text != "all") {
        refuse("--queries", text, "all, last:N or every:N with N >= 1");
    }
    QueryRows rows;
    for (int row = first; row < count; row += step) rows.push_back(row);
    return rows;
}

Transform chosen_transform(const CaptureOptions& options, int dim, std::uint16_t stream) {
    const auto d = static_cast<std::size_t>(dim);
    if (options.transform == "identity") return Transform::identity(d);
    try {
        return Transform::hadamard(d, options.common.seed, stream);
    } catch (const Error& error) {
        throw Error(error.code(), options.capture + ": " + error.what());
    }
}

} // namespace

void add_capture_options(CLI::App& verb, CaptureOptions& options) {
    verb.add_option("CAPTURE", options.capture,
                    "Captured attention: safetensors, or one of NAME_q.npy, NAME_k.npy, NAME_v.npy")
        ->required();
    verb.add_option("--calibration", options.calibration,
                    "Capture to calibrate on (the same model, another text), or self: on CAPTURE");
    verb.add_option("--codebook", options.codebook, "Nested codebook of your own for ReadKV's readers");
    verb.add_option("--transform", options.transform, "Change of coordinates before quantisation")
        ->check(CLI::IsMember({"hadamard", "identity"}))
        ->capture_default_str();
    verb.add_option("--layers", options.layers, "all, or layers such as 0,2")->capture_default_str();
    verb.add_option("--queries", options.queries, "all, last:N or every:N")->capture_default_str();
    verb.add_option("--value-scale", options.value_scale,
                    "Weight of a KV head's values: 1, or the sum of its variances")
        ->check(CLI::IsMember({"unit", "variance"}))
        ->capture_default_str();
    verb.add_option("--pool", options.pool, "One budget over all KV heads of a layer, or one for each head")
        ->check(CLI::IsMember({"layer", "head"}))
        ->capture_default_str();
}

CaptureRun::CaptureRun(const CaptureOptions& options) : options_(options), capture_(options.capture) {
    capture_.require_queries();
    const CaptureShape& shape = capture_.shape();
    if (options.calibration == "self")
        self_ = true;
    else if (!options.calibration.empty()) {
        calibration_.emplace(options.calibration);
        const CaptureShape& other = calibration_->shape();
        if (other.layers != shape.layers || other.kv_heads != shape.kv_heads || other.dim != shape.dim)
            throw Error(ErrorCode::bad_capture,
                        options.calibration + ": found " + std::to_string(other.layers) + " layers, " +
                            std::to_string(other.kv_heads) + " KV heads, d_h = " + std::to_string(other.dim) +
                            ", expected " + std::to_string(shape.layers) + ", " +
                            std::to_string(shape.kv_heads) + ", " + std::to_string(shape.dim) + " as in " +
                            options.capture);
    }
    layers_ = chosen_layers(options.layers, shape.layers);
    rows_ = chosen_rows(options.queries, shape.queries);
    settings_ = std::make_unique<ReaderSettings>(ReaderSettings{
        chosen_transform(options, shape.dim, 0), chosen_transform(options, shape.dim, 1),
        options.codebook.empty() ? gaussian_code(code_depth) : code_of(read_codebook(options.codebook)),
        options.value_scale == "unit" ? ValueScale::unit : ValueScale::variance,
        options.pool == "layer" ? Pool::layer : Pool::head});
}

KeptLayer CaptureRun::layer(int index) const {
    KeptLayer out{capture_.layer(index), std::nullopt, index};
    if (self_) out.calibration = out.tested;
    if (calibration_) out.calibration = calibration_->layer(index);
    return out;
}

void CaptureRun::prepare(Reader& reader) const {
    if (!has_calibration()) return;
    std::vector<int> all(static_cast<std::size_t>(capture_.shape().layers));
    std::iota(all.begin(), all.end(), 0);
    reader.prepare(calibration_ ? *calibration_ : capture_, all);
}

nlohmann::ordered_json CaptureRun::configuration() const {
    const CaptureShape& shape = capture_.shape();
    nlohmann::ordered_json notes = capture_.notes();
    if (self_) notes.push_back("calibrated on the capture itself");
    return {{"format", 1},
            {"capture", options_.capture},
            {"calibration", options_.calibration.empty() ? nlohmann::ordered_json(nullptr)
                                                         : nlohmann::ordered_json(options_.calibration)},
            {"codebook", options_.codebook.empty() ? "gaussian:8" : options_.codebook},
            {"transform", options_.transform},
            {"seed", options_.common.seed},
            {"value_scale", options_.value_scale},
            {"pool", options_.pool},
            {"shape",
             {{"layers", shape.layers},
              {"H", shape.query_heads},
              {"G", shape.kv_heads},
              {"d_h", shape.dim},
              {"T", shape.tokens},
              {"Tq", shape.queries}}},
            {"layers", layers_},
            {"queries", options_.queries},
            {"notes", notes}};
}

} // namespace kvproof::app
