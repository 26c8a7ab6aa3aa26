#include "lib/codec/codebook.hpp"

#include "lib/codec/codebook_entries.hpp"

#include <string>

namespace kvproof {
namespace {

void require_level(const Codebook<float>& codebook, std::size_t t, const std::string& source) {
    const auto& boundaries = codebook.boundaries[t];
    const auto& centroids = codebook.centroids[t];
    require_entry_count(source, "boundaries", t, boundaries.size(), (std::size_t{1} << t) - 1);
    require_entry_count(source, "centroids", t, centroids.size(), std::size_t{1} << t);
    const auto refuse = [&](const char* list, std::size_t i, const std::string& what) {
        refuse_codebook(source + ": " + entry_name(list, t, i), what);
    };
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        (void)finite_entry(boundaries[i], source, "boundaries", t, i);
        if (i > 0 && !(boundaries[i - 1] < boundaries[i]))
            refuse("boundaries", i, "not above the boundary before it");
        // Every second boundary is one of the level above.
        if (i % 2 == 1 && boundaries[i] != codebook.boundaries[t - 1][i / 2])
            refuse("boundaries", i,
                   "found a value other than " + entry_name("boundaries", t - 1, i / 2) +
                       ", expected nested cells");
    }
    for (std::size_t i = 0; i < centroids.size(); ++i) {
        (void)finite_entry(centroids[i], source, "centroids", t, i);
        if ((i > 0 && centroids[i] < boundaries[i - 1]) ||
            (i < boundaries.size() && centroids[i] > boundaries[i]))
            refuse("centroids", i, "lies outside its cell");
    }
}

} // namespace

Codebook<Rational> exact_codebook(const Codebook<float>& codebook) {
    Codebook<Rational> out;
    for (const auto& level : codebook.boundaries) {
        out.boundaries.emplace_back();
        for (const float value : level) out.boundaries.back().push_back(rational_from(value));
    }
    for (const auto& level : codebook.centroids) {
        out.centroids.emplace_back();
        for (const float value : level) out.centroids.back().push_back(rational_from(value));
    }
    return out;
}

void require_valid(const Codebook<float>& codebook, const std::string& source) {
    const std::size_t levels = codebook.centroids.size();
    if (codebook.boundaries.size() != levels)
        refuse_codebook(source, "found boundaries of " + std::to_string(codebook.boundaries.size()) +
                                    " levels and centroids of " + std::to_string(levels));
    require_level_count(source, levels);
    for (std::size_t t = 0; t < levels; ++t) require_level(codebook, t, source);
}

} // namespace kvproof
