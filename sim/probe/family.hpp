#pragma once

#include "lib/exact/rational.hpp"

#include <span>
#include <string>
#include <vector>

namespace kvproof {

/// A finite world of the probe model (ReadKV 2, C.2): sources, queries and a target for each pair. The loss
/// of an estimate c for the pair (x, y) is |target(x, y) - c|^2 / (scale dim): targets are the true ones
/// times sqrt(scale), which need not be rational.
struct Family {
    std::string name; ///< as the user wrote it, "hypercube:3"; of a file "file:" and the hash of its text
    int sources = 0;  ///< n, 1 to most_sources
    int queries = 0;  ///< 1 to most_queries
    int dim = 1;      ///< m, the length of a target
    Integer scale = 1;
    std::vector<Rational> targets = {};         ///< [sources, queries, dim]
    std::vector<std::string> source_names = {}; ///< [sources], for people: "+-+"
    std::vector<std::string> query_names = {};  ///< [queries]: "-e2"
    /// Sources and queries as vectors, where the family is one of ReadKV's own: of inner products z and q of
    /// d coordinates, whose product is the target, [sources, d] and [queries, d]; of attention (b, v1, v2)
    /// and eta.
    std::vector<std::vector<Rational>> source_points = {};
    std::vector<std::vector<Rational>> query_points = {};

    static constexpr int most_sources = 64; ///< a set of sources is one word
    static constexpr int most_queries = 4096;
    static constexpr int most_dim = 8;

    [[nodiscard]] std::span<const Rational> target(int x, int y) const {
        return std::span(targets).subspan(
            (static_cast<std::size_t>(x) * static_cast<std::size_t>(queries) + static_cast<std::size_t>(y)) *
                static_cast<std::size_t>(dim),
            static_cast<std::size_t>(dim));
    }
};

// clang-format off
/// The family of this name:
///   hypercube:d      x in {-1,1}^d / sqrt d, y a signed basis vector: Theorem 1 with k = 1, on the vertices
///   sparse:d,k       the same sources, y in {-1,0,1}^d / sqrt k with k entries not zero
///   grid:d,levels    x = z / sqrt d with z on a grid of [-1,1]^d, ends included; y a signed basis vector
///   hadamard:d       sources of the hypercube, y a signed row of the Sylvester-Hadamard matrix / sqrt d: a signed
///                    basis vector seen through the transform (E.1.3)
///   attention:levels Theorem 2 at m = 1: b = -1 or 1, v1 and v2 on a grid of [-1,1], y = eta; p = 22026/22027, near 1/(1+e^-10)
///   pointer:n        a selector p and n bits; y asks for p, for a bit, or for the bit that p selects
///   labels:WORD,...  a query for each word, a source for each place in it: the target is the digit there
///   file:PATH        a user's JSON (docs/probe.md)
// clang-format on
/// Throws Error(bad_option) for any other text and for a family that is too large; for a file what
/// read_family throws.
[[nodiscard]] Family make_family(const std::string& name);

/// p of the attention family: 22026/22027.
[[nodiscard]] const Rational& attention_share();

} // namespace kvproof
