#include "lib/account/percent.hpp"

#include "lib/account/words.hpp"
#include "lib/error.hpp"
#include "lib/record/quote.hpp"

namespace kvproof {
namespace {

constexpr long longest_run = 1'000'000'000;
constexpr long protected_layers = 4; // the first two and the last two

/// How many layers the system compresses; the others are dense.
long compressed_layers(const System& system, const ModelGeometry& model) {
    if (!system.protect) return model.layers;
    if (model.layers < protected_layers)
        throw Error(ErrorCode::bad_option, "system \"" + system.name + "\": found a model of " +
                                               std::to_string(model.layers) +
                                               " layers, expected at least 4 for +protect");
    return model.layers - protected_layers;
}

Rational percent(const Cost& part, const Cost& dense) {
    return 100 * Rational(part.total()) / Rational(dense.total());
}

} // namespace

AttentionRun parse_run(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view kind = text.substr(0, colon);
    const std::vector<std::string_view> words = colon == std::string_view::npos
                                                    ? std::vector<std::string_view>{}
                                                    : split_words(text.substr(colon + 1), ',');
    if (kind == "causal" && words.size() == 1) {
        const long tokens = parse_whole(words[0], 1, longest_run, "run: tokens");
        return {1, tokens, tokens};
    }
    if (kind == "answer" && words.size() == 2) {
        const long prompt = parse_whole(words[0], 1, longest_run, "run: prompt");
        const long answer = parse_whole(words[1], 2, longest_run, "run: answer");
        return {prompt + 1, prompt + answer - 1, prompt};
    }
    throw Error(ErrorCode::bad_option,
                "run: found " + in_quotes(text) + ", expected causal:TOKENS or answer:PROMPT,ANSWER");
}

Cost model_read_bits(const System& system, const ModelGeometry& model, const AttentionRun& run) {
    const long compressed = compressed_layers(system, model);
    const LayerGeometry& layer = model.layer;
    return layer_run_bits(system, layer, run.first, run.last, compressed) +
           Integer(model.layers - compressed) * layer_run_bits(System{}, layer, run.first, run.last);
}

Cost model_capacity_bits(const System& system, const ModelGeometry& model, long t) {
    const long compressed = compressed_layers(system, model);
    const LayerGeometry& layer = model.layer;
    Cost cost = layer_stored_bits(system, layer, t, compressed) +
                Integer(compressed) * layer_retained_bits(system, layer) +
                Integer(model.layers - compressed) * layer_stored_bits(System{}, layer, t);
    if (compressed > 0) cost += model_retained_bits(system, layer);
    return cost;
}

Rational reads_percent(const System& system, const ModelGeometry& model, const AttentionRun& run) {
    return percent(model_read_bits(system, model, run), model_read_bits(System{}, model, run));
}

Rational capacity_percent(const System& system, const ModelGeometry& model, long t) {
    return percent(model_capacity_bits(system, model, t), model_capacity_bits(System{}, model, t));
}

} // namespace kvproof
