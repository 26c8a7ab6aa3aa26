#include "lib/codec/codebook_npy.hpp"

#include "lib/codec/codebook_entries.hpp"
#include "lib/record/little_endian.hpp"
#include "lib/record/npy.hpp"

#include <bit>
#include <utility>

namespace kvproof {
namespace {

float midpoint(float a, float b) {
    // The exact sum may need more than 53 bits; a rational needs no theorem about double rounding.
    return nearest_float32((rational_from(a) + rational_from(b)) / 2) + 0.0F; // no -0, as in finite_entry
}

} // namespace

Codebook<float> with_midpoint_boundaries(std::vector<std::vector<float>> centroids) {
    Codebook<float> out;
    out.centroids = std::move(centroids);
    out.boundaries.emplace_back(); // depth 0 has none
    for (std::size_t t = 0; t + 1 < out.centroids.size(); ++t) {
        const std::vector<float>& children = out.centroids[t + 1];
        std::vector<float> next;
        for (std::size_t i = 0; i < out.centroids[t].size(); ++i) {
            next.push_back(midpoint(children[2 * i], children[2 * i + 1]));
            if (i < out.boundaries[t].size()) next.push_back(out.boundaries[t][i]);
        }
        out.boundaries.push_back(std::move(next));
    }
    return out;
}

Codebook<float> codebook_from_npy(std::string_view bytes, const std::string& source) {
    const NpyView array = read_npy(bytes, source);
    if (array.dtype != "<f4")
        refuse_format(source, "descr: found dtype \"" + array.dtype + "\", expected \"<f4\"");
    if (array.fortran_order) refuse_format(source, "fortran_order: found True, expected False");
    if (array.shape.size() != 1)
        refuse_format(source, "shape: found " + shape_text(array.shape) + ", expected one dimension");
    const std::uint64_t count = array.shape[0];
    if (count < 3 || count > (std::uint64_t{2} << deepest_codebook) - 1 || !std::has_single_bit(count + 1))
        refuse_codebook(source, "shape: found " + std::to_string(count) +
                                    " centroids, expected 2^(W+1) - 1 with W from 1 to " +
                                    std::to_string(deepest_codebook));
    std::vector<std::vector<float>> centroids;
    std::size_t at = 0;
    for (std::size_t t = 0; at < count; ++t) {
        centroids.emplace_back();
        for (std::size_t i = 0; i < (std::size_t{1} << t); ++i)
            centroids[t].push_back(finite_entry(float32_at(array.data, at++), source, "centroids", t, i));
    }
    return with_midpoint_boundaries(std::move(centroids));
}

} // namespace kvproof
