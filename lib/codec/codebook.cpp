#include "lib/codec/codebook.hpp"

#include "lib/error.hpp"

#include <cmath>
#include <string>

namespace kvproof {
namespace {

constexpr int deepest = 12;

std::string entry(const char* list, std::size_t t, std::size_t i) {
    return std::string(list) + "." + std::to_string(t) + "[" + std::to_string(i) + "]";
}

[[noreturn]] void refuse(const std::string& source, const std::string& what) {
    throw Error(ErrorCode::bad_codebook, source + ": " + what);
}

void require_count(const std::string& source, const char* list, std::size_t t, std::size_t found,
                   std::size_t expected) {
    if (found != expected)
        refuse(source, std::string(list) + "." + std::to_string(t) + ": found " + std::to_string(found) +
                           " entries, expected " + std::to_string(expected));
}

void require_level(const Codebook<float>& codebook, std::size_t t, const std::string& source) {
    const auto& boundaries = codebook.boundaries[t];
    const auto& centroids = codebook.centroids[t];
    require_count(source, "boundaries", t, boundaries.size(), (std::size_t{1} << t) - 1);
    require_count(source, "centroids", t, centroids.size(), std::size_t{1} << t);
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        if (!std::isfinite(boundaries[i]))
            refuse(source, entry("boundaries", t, i) + ": found NaN or infinity, expected a finite number");
        if (i > 0 && !(boundaries[i - 1] < boundaries[i]))
            refuse(source, entry("boundaries", t, i) + ": not above the boundary before it");
        // Every second boundary is one of the level above.
        if (i % 2 == 1 && boundaries[i] != codebook.boundaries[t - 1][i / 2])
            refuse(source, entry("boundaries", t, i) + ": found a value other than " +
                               entry("boundaries", t - 1, i / 2) + ", expected nested cells");
    }
    for (std::size_t i = 0; i < centroids.size(); ++i) {
        if (!std::isfinite(centroids[i]))
            refuse(source, entry("centroids", t, i) + ": found NaN or infinity, expected a finite number");
        if ((i > 0 && centroids[i] < boundaries[i - 1]) ||
            (i < boundaries.size() && centroids[i] > boundaries[i]))
            refuse(source, entry("centroids", t, i) + ": lies outside its cell");
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
        refuse(source, "found boundaries of " + std::to_string(codebook.boundaries.size()) +
                           " levels and centroids of " + std::to_string(levels));
    if (levels < 2 || levels > deepest + 1)
        refuse(source, "found " + std::to_string(levels) + " levels, expected depths 0..W with W from 1 to " +
                           std::to_string(deepest));
    for (std::size_t t = 0; t < levels; ++t) require_level(codebook, t, source);
}

} // namespace kvproof
