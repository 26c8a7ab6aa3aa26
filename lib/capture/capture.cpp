#include "lib/capture/capture.hpp"

#include "lib/error.hpp"
#include "lib/record/sha256.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace kvproof {
namespace {

const std::array<std::string, 3> parts = {"q", "k", "v"};

/// More than any model has; keeps products of sizes within 64 bits and files from claiming the absurd.
constexpr std::uint64_t largest_side = 1 << 26;

/// Logits of numbers beyond this may overflow in binary32.
constexpr double square_root_of_single = 0x1p63;

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
    throw Error(ErrorCode::bad_capture, place + ": " + what);
}

std::string tensor_name(int layer, const std::string& part) {
    return "layers." + std::to_string(layer) + "." + part;
}

std::string place_of(const std::string& source, int layer, const std::string& part) {
    return source + ": tensor \"" + tensor_name(layer, part) + "\"";
}

/// The L of "layers.L.k", where the name is one.
std::optional<int> layer_of_keys(std::string_view name) {
    constexpr std::string_view before = "layers.";
    constexpr std::string_view after = ".k";
    if (!name.starts_with(before) || !name.ends_with(after) || name.size() < 10) return std::nullopt;
    name.remove_prefix(before.size());
    name.remove_suffix(after.size());
    int layer = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
    if (error != std::errc() || end != name.data() + name.size() || name != std::to_string(layer))
        return std::nullopt;
    return layer;
}

/// The sizes that the shapes of one layer's tensors give. `q` is null where there are no queries.
CaptureShape shape_of_layer(const Shape* q, const Shape& k, const Shape& v, const std::string& source,
                            int layer) {
    const auto place = [&](const std::string& part) { return place_of(source, layer, part); };
    const auto require = [&](bool good, const std::string& part, const Shape& found, const char* expected) {
        if (!good) refuse(place(part), "found shape " + shape_text(found) + ", expected " + expected);
    };
    const std::array<const Shape*, 3> shapes = {q, &k, &v};
    for (std::size_t i = 0; i < 3; ++i) {
        if (shapes[i] == nullptr) continue;
        require(shapes[i]->size() == 3, parts[i], *shapes[i], "three dimensions [heads, tokens, d_h]");
        for (const std::uint64_t side : *shapes[i])
            require(side > 0 && side <= largest_side, parts[i], *shapes[i],
                    "sides of 1 to 2^26 (without tokens there is no softmax)");
    }
    require(k == v, "v", v, ("that of the keys, " + shape_text(k)).c_str());
    CaptureShape shape;
    shape.kv_heads = static_cast<int>(k[0]);
    shape.tokens = static_cast<int>(k[1]);
    shape.dim = static_cast<int>(k[2]);
    if (q == nullptr) return shape;
    require((*q)[2] == k[2], "q", *q, ("d_h = " + std::to_string(k[2]) + " as the keys have").c_str());
    require((*q)[0] % k[0] == 0, "q", *q,
            ("a multiple of " + std::to_string(k[0]) + " heads, the KV heads").c_str());
    require((*q)[1] <= k[1], "q", *q,
            ("at most " + std::to_string(k[1]) + " queries, one for each of the last tokens").c_str());
    shape.query_heads = static_cast<int>((*q)[0]);
    shape.queries = static_cast<int>((*q)[1]);
    return shape;
}

bool same_sizes(const CaptureShape& a, const CaptureShape& b) {
    return a.query_heads == b.query_heads && a.kv_heads == b.kv_heads && a.dim == b.dim &&
           a.tokens == b.tokens && a.queries == b.queries;
}

} // namespace

Capture::Capture(const std::filesystem::path& path) : source_(path.string()) {
    if (path.extension() == ".npy")
        open_npy(path);
    else
        open_safetensors(path);
    check();
}

void Capture::open_safetensors(const std::filesystem::path& path) {
    files_.emplace_back(path);
    tensors_ = read_safetensors(files_[0].bytes(), source_);
    int layers = 0;
    for (const TensorView& tensor : tensors_.tensors)
        if (const auto layer = layer_of_keys(tensor.name)) layers = std::max(layers, *layer + 1);
    if (layers == 0)
        refuse(source_, "found " + std::to_string(tensors_.tensors.size()) +
                            " tensors, expected \"layers.0.k\" among them");
    if (layers > static_cast<int>(tensors_.tensors.size()))
        refuse(source_, "found keys of layer " + std::to_string(layers - 1) +
                            ", expected layers 0, 1, ... without gap");
    const bool queries = std::ranges::any_of(tensors_.tensors, [](const TensorView& tensor) {
        return tensor.name.starts_with("layers.") && tensor.name.ends_with(".q");
    });
    for (int layer = 0; layer < layers; ++layer) {
        const Shape* const q = queries ? &required(layer, "q").shape : nullptr;
        const CaptureShape shape =
            shape_of_layer(q, required(layer, "k").shape, required(layer, "v").shape, source_, layer);
        if (layer > 0 && !same_sizes(shape, shape_))
            refuse(place_of(source_, layer, "k"),
                   "found other sizes than in layer 0, expected the same in all");
        if (layer == 0) shape_ = shape;
    }
    shape_.layers = layers;
    check_metadata();
}

void Capture::open_npy(const std::filesystem::path& path) {
    const std::string name = path.string();
    files_.reserve(4);
    files_.emplace_back(path);
    static_cast<void>(read_npy(files_[0].bytes(), source_)); // what is no array is refused as that
    const auto ends_as = [&name](const std::string& part) { return name.ends_with("_" + part + ".npy"); };
    if (std::ranges::none_of(parts, ends_as))
        refuse(source_, "found one array, expected three: NAME_q.npy, NAME_k.npy and NAME_v.npy (name one)");
    for (const std::string& part : parts) {
        const std::string file = name.substr(0, name.size() - 6) + "_" + part + ".npy";
        files_.emplace_back(file);
        const NpyView array = read_npy(files_.back().bytes(), file);
        if (array.dtype[0] == '>') notes_.push_back(file + ": big-endian numbers, swapped");
        arrays_.push_back(float_tensor(array, file));
    }
    shape_ = shape_of_layer(&arrays_[0].shape, arrays_[1].shape, arrays_[2].shape, source_, 0);
    shape_.layers = 1;
}

const TensorView& Capture::required(int index, const std::string& name) const {
    const TensorView* const tensor = tensors_.find(tensor_name(index, name));
    if (tensor == nullptr) refuse(place_of(source_, index, name), "found nothing of this name");
    return *tensor;
}

void Capture::check_metadata() const {
    const std::pair<const char*, int> expected[] = {{"layers", shape_.layers},     {"H", shape_.query_heads},
                                                    {"G", shape_.kv_heads},        {"d_h", shape_.dim},
                                                    {"T", shape_.tokens},          {"Tq", shape_.queries},
                                                    {"q_pos0", shape_.position(0)}};
    for (const auto& [key, value] : expected) {
        const auto at = tensors_.metadata.find(key);
        if (at == tensors_.metadata.end()) continue;
        if (shape_.queries == 0 && (at->first == "H" || at->first == "q_pos0")) continue; // no queries, no H
        if (at->second != std::to_string(value))
            refuse(source_ + ": __metadata__", "found " + at->first + " = \"" + at->second +
                                                   "\", expected \"" + std::to_string(value) +
                                                   "\" as in the tensors");
    }
    const auto causal = tensors_.metadata.find("causal");
    if (shape_.queries > 0 && causal != tensors_.metadata.end() && causal->second != "true")
        refuse(source_ + ": __metadata__", "found causal = \"" + causal->second +
                                               "\", expected \"true\": query i sees tokens up to its own");
}

void Capture::check() {
    double largest = 0;
    const auto look = [&](const std::vector<double>& values) {
        for (const double value : values) largest = std::max(largest, std::abs(value));
    };
    for (int index = 0; index < shape_.layers; ++index) {
        const CaptureLayer checked = layer(index);
        look(checked.q);
        look(checked.k);
        look(checked.v);
    }
    if (largest > square_root_of_single)
        notes_.push_back(source_ +
                         ": numbers beyond 2^63, whose products overflow in binary32; all is computed "
                         "in binary64, where they do not");
}

std::string Capture::hash() const {
    if (files_.size() == 1) return sha256(files_[0].bytes());
    std::string out;
    for (std::size_t i = 1; i < files_.size(); ++i) // the first one is that which was named
        out += sha256(files_[i].bytes());
    return sha256(out);
}

void Capture::require_queries() const {
    if (shape_.queries == 0)
        refuse(source_, "found keys and values without queries (layers.0.q), expected queries: attention "
                        "cannot be measured without them");
}

CaptureLayer Capture::layer(int index) const {
    CaptureLayer out;
    out.shape = shape_;
    if (!arrays_.empty()) {
        out.q = arrays_[0].values;
        out.k = arrays_[1].values;
        out.v = arrays_[2].values;
        return out;
    }
    if (shape_.queries > 0) out.q = float_tensor(required(index, "q"), source_).values;
    out.k = float_tensor(required(index, "k"), source_).values;
    out.v = float_tensor(required(index, "v"), source_).values;
    return out;
}

std::optional<Tensor> Capture::matrix(int index, const std::string& name) const {
    const TensorView* const tensor = tensors_.find(tensor_name(index, name));
    if (tensor == nullptr) return std::nullopt;
    if (tensor->shape.size() != 2)
        refuse(place_of(source_, index, name),
               "found shape " + shape_text(tensor->shape) + ", expected two dimensions");
    return float_tensor(*tensor, source_);
}

std::optional<Rotary> Capture::rotary() const {
    const auto style = tensors_.metadata.find("rope_style");
    const auto base = tensors_.metadata.find("rope_theta");
    if (style == tensors_.metadata.end() || base == tensors_.metadata.end()) return std::nullopt;
    const auto refuse_entry = [&](const auto& entry, const std::string& expected) {
        refuse(source_ + ": __metadata__",
               "found " + entry->first + " = \"" + entry->second + "\", expected " + expected);
    };
    if (style->second != "half" && style->second != "interleaved") refuse_entry(style, "half or interleaved");
    double theta = 0;
    const char* const last = base->second.data() + base->second.size();
    const auto [end, error] = std::from_chars(base->second.data(), last, theta);
    if (error != std::errc() || end != last || !std::isfinite(theta) || theta <= 0)
        refuse_entry(base, "a positive number");
    if (shape_.dim % 2 != 0) refuse_entry(style, "an even head dimension with it");
    return Rotary(style->second == "half" ? RotaryPairs::half : RotaryPairs::interleaved, theta, shape_.dim);
}

} // namespace kvproof
