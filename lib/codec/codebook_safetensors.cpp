#include "lib/codec/codebook_safetensors.hpp"

#include "lib/codec/codebook_entries.hpp"
#include "lib/record/little_endian.hpp"
#include "lib/record/quote.hpp"
#include "lib/record/safetensors.hpp"

#include <algorithm>

namespace kvproof {
namespace {

std::vector<float> entries(const TensorView& tensor, const char* list, std::size_t t, std::size_t expected,
                           const std::string& source) {
    const std::string where = source + ": tensor " + in_quotes(tensor.name);
    if (tensor.dtype != "F32") refuse_format(where, "found dtype " + tensor.dtype + ", expected F32");
    if (tensor.shape.size() != 1)
        refuse_format(where, "found shape " + shape_text(tensor.shape) + ", expected one dimension");
    require_entry_count(source, list, t, tensor.shape[0], expected);
    std::vector<float> out;
    for (std::size_t i = 0; i < expected; ++i)
        out.push_back(finite_entry(float32_at(tensor.data, i), source, list, t, i));
    return out;
}

} // namespace

Codebook<float> codebook_from_safetensors(std::string_view bytes, const std::string& source) {
    const Safetensors file = read_safetensors(bytes, source);
    Codebook<float> out;
    std::vector<const TensorView*> used;
    for (std::size_t t = 0; t <= deepest_codebook; ++t) {
        const std::string depth = std::to_string(t);
        const TensorView* centroids = file.find("centroids." + depth);
        if (centroids == nullptr) break;
        const TensorView* boundaries = file.find("boundaries." + depth);
        if (boundaries == nullptr && t > 0)
            refuse_format(source, "found tensor " + in_quotes(centroids->name) + " but no \"boundaries." +
                                      depth + "\", expected both");
        out.centroids.push_back(entries(*centroids, "centroids", t, std::size_t{1} << t, source));
        out.boundaries.emplace_back();
        if (boundaries != nullptr)
            out.boundaries[t] = entries(*boundaries, "boundaries", t, (std::size_t{1} << t) - 1, source);
        used.insert(used.end(), {centroids, boundaries});
    }
    // A misspelt or missing level shows as a tensor that no level took.
    for (const TensorView& tensor : file.tensors)
        if (std::ranges::find(used, &tensor) == used.end())
            refuse_format(source,
                          "found tensor " + in_quotes(tensor.name) +
                              ", expected boundaries.{t} and centroids.{t} for t = 0, 1, ... up to at "
                              "most " +
                              std::to_string(deepest_codebook) + " and no others");
    require_level_count(source, out.centroids.size());
    return out;
}

} // namespace kvproof
