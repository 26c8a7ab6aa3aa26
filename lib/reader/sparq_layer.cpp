#include "lib/reader/sparq_layer.hpp"

#include "lib/error.hpp"
#include "lib/reader/exact_attention.hpp"
#include "lib/reader/sparq_selection.hpp"
#include "lib/reader/whole_read_layer.hpp"

#include <algorithm>

namespace kvproof {
namespace {

class SparqLayer final : public StoredLayer {
public:
    SparqLayer(SparqCache cache, const SparqOptions& options) : cache_(std::move(cache)), options_(options) {}

    [[nodiscard]] Answer answer(std::span<const double> queries, int tokens) const override {
        require_call(cache_.shape, queries, tokens);
        Answer out;
        out.outputs.resize(queries.size());
        const CaptureShape& shape = cache_.shape;
        const std::size_t group = queries.size() / static_cast<std::size_t>(shape.kv_heads);
        for (int g = 0; g < shape.kv_heads && group > 0; ++g) {
            const std::size_t at = static_cast<std::size_t>(g) * group;
            answer_group(g, tokens, queries.subspan(at, group), std::span(out.outputs).subspan(at, group));
        }
        const auto t = static_cast<std::uint64_t>(tokens);
        const std::uint64_t read = std::min(static_cast<std::uint64_t>(options_.selected) + 1, t);
        const auto probed = static_cast<std::uint64_t>(options_.channels);
        const auto heads = static_cast<std::uint64_t>(shape.kv_heads);
        out.payload_bits = heads * cache_.scoring_bits * probed * t + token_bits() * read;
        out.overhead_bits = mean_bits() + cache_.call_overhead;
        return out;
    }

    [[nodiscard]] std::uint64_t stored_bits(int tokens) const override {
        return token_bits() * static_cast<std::uint64_t>(tokens) + mean_bits() + cache_.layer_overhead;
    }

private:
    /// The query heads of one KV head: `queries` and `outputs` are [heads, d_h].
    void answer_group(int g, int tokens, std::span<const double> queries, std::span<double> outputs) const {
        const auto d = static_cast<std::size_t>(cache_.shape.dim);
        std::vector<double> probes(queries.begin(), queries.end());
        cache_.transform.apply_rows(probes);
        const std::vector<int> channels = sparq_channels(probes, cache_.shape.dim, options_.channels);
        std::vector<std::vector<double>> logits;
        std::vector<double> scores(static_cast<std::size_t>(tokens));
        for (std::size_t at = 0; at < queries.size(); at += d) {
            logits.push_back(approximate_logits(g, tokens, std::span(probes).subspan(at, d), channels));
            for (std::size_t j = 0; j < scores.size(); ++j) scores[j] += logits.back()[j];
        }
        const std::vector<int> selected = sparq_tokens(scores, options_.selected, options_.local);
        const std::span<const double> mean = cache_.means.at(g, tokens - 1);
        for (std::size_t h = 0; h < logits.size(); ++h) {
            const std::span<double> output = outputs.subspan(h * d, d);
            const auto token = [&](int i) { return selected[static_cast<std::size_t>(i)]; };
            attend(
                queries.subspan(h * d, d), static_cast<int>(selected.size()),
                [&](int i) { return std::as_const(cache_.keys).at(g, token(i)); },
                [&](int i) { return std::as_const(cache_.values).at(g, token(i)); }, output);
            if (!options_.mean_value) continue;
            const std::vector<double> weights = attention_weights(logits[h]);
            double mass = 0;
            for (const int j : selected) mass += weights[static_cast<std::size_t>(j)];
            mass = std::min(mass, 1.0); // rounding
            for (std::size_t c = 0; c < d; ++c) output[c] = mass * output[c] + (1 - mass) * mean[c];
        }
    }

    [[nodiscard]] std::vector<double> approximate_logits(int g, int tokens, std::span<const double> probe,
                                                         const std::vector<int>& channels) const {
        const double factor = sparq_logit_factor(probe, channels);
        std::vector<double> out(static_cast<std::size_t>(tokens));
        for (int j = 0; j < tokens; ++j) {
            const std::span<const double> key = cache_.scored.at(g, j);
            double sum = 0;
            for (const int c : channels)
                sum += probe[static_cast<std::size_t>(c)] * key[static_cast<std::size_t>(c)];
            out[static_cast<std::size_t>(j)] = sum * factor;
        }
        return out;
    }

    [[nodiscard]] std::uint64_t scalars() const {
        return static_cast<std::uint64_t>(cache_.shape.kv_heads) *
               static_cast<std::uint64_t>(cache_.shape.dim);
    }
    [[nodiscard]] std::uint64_t token_bits() const { return 2 * cache_.selected_bits * scalars(); }
    [[nodiscard]] std::uint64_t mean_bits() const { return 16 * scalars(); }

    const SparqCache cache_;
    SparqOptions options_;
};

} // namespace

void require_valid(const SparqOptions& options, const std::string& reader) {
    if (options.channels >= 1 && options.selected >= 1 && options.local >= 0 &&
        options.local <= options.selected)
        return;
    throw Error(ErrorCode::bad_option,
                "reader \"" + reader + "\": found r = " + std::to_string(options.channels) + ", k = " +
                    std::to_string(options.selected) + ", local k = " + std::to_string(options.local) +
                    ", expected r and k of at least 1 and a local k from 0 to k");
}

HeadVectors running_means(const CaptureLayer& layer) {
    HeadVectors means(layer.shape, layer.v);
    for (int g = 0; g < layer.shape.kv_heads; ++g) {
        std::vector<double> sums(static_cast<std::size_t>(layer.shape.dim));
        for (int j = 0; j < layer.shape.tokens; ++j) {
            const std::span<double> entry = means.at(g, j);
            for (std::size_t c = 0; c < sums.size(); ++c) {
                sums[c] += entry[c];
                entry[c] = sums[c] / static_cast<double>(j + 1);
            }
        }
    }
    return means;
}

std::unique_ptr<StoredLayer> sparq_layer(SparqCache cache, const SparqOptions& options,
                                         const std::string& reader) {
    if (options.channels > cache.shape.dim)
        throw Error(ErrorCode::bad_option, "reader \"" + reader +
                                               "\": found r = " + std::to_string(options.channels) +
                                               " scoring channels, expected at most the head dimension " +
                                               std::to_string(cache.shape.dim));
    return std::make_unique<SparqLayer>(std::move(cache), options);
}

} // namespace kvproof
