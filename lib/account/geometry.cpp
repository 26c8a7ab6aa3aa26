#include "lib/account/geometry.hpp"

#include "lib/account/words.hpp"
#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr long most_layers = 1000;
constexpr long most_heads = 4096;
constexpr long largest_head_dim = 4096;

std::string known_names() {
    std::string out;
    for (const ModelGeometry& model : named_models()) out += model.name + ", ";
    return out + "or layers,KV heads,query heads,head dimension";
}

} // namespace

const std::vector<ModelGeometry>& named_models() {
    // Name, layers, {query heads, KV heads, head dimension}; tests/data/papers/models.json says what in the
    // papers agrees with each.
    static const std::vector<ModelGeometry> models = {
        {"qwen2.5-3b", 36, {16, 2, 128}},       {"qwen2.5-7b", 28, {28, 4, 128}},
        {"qwen2.5-14b", 48, {40, 8, 128}},      {"yi-1.5-6b", 32, {32, 4, 128}},
        {"deepseek-llm-7b", 30, {32, 32, 128}}, {"mistral-7b-v0.3", 32, {32, 8, 128}},
        {"llama-3.1-8b", 32, {32, 8, 128}},
    };
    return models;
}

ModelGeometry parse_model(std::string_view text) {
    const auto named = std::ranges::find(named_models(), text, &ModelGeometry::name);
    if (named != named_models().end()) return *named;
    const std::vector<std::string_view> words = split_words(text, ',');
    if (words.size() != 4)
        throw Error(ErrorCode::bad_option, "model: found " + in_quotes(text) + ", expected " + known_names());
    ModelGeometry model;
    model.name = std::string(text);
    model.layers = parse_whole(words[0], 1, most_layers, "model: layers");
    model.layer.kv_heads = parse_whole(words[1], 1, most_heads, "model: KV heads");
    model.layer.query_heads = parse_whole(words[2], 1, most_heads, "model: query heads");
    model.layer.head_dim = parse_whole(words[3], 1, largest_head_dim, "model: head dimension");
    if (model.layer.query_heads % model.layer.kv_heads != 0)
        throw Error(ErrorCode::bad_option, "model: found " + std::to_string(model.layer.query_heads) +
                                               " query heads, expected a multiple of the " +
                                               std::to_string(model.layer.kv_heads) + " KV heads");
    return model;
}

} // namespace kvproof
