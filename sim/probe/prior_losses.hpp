#pragma once

#include "sim/probe/bayes.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kvproof {

/// What the sets of a few sources lose in one leaf under a prior: sum p |f|^2 - |sum p f|^2 / sum p, over
/// scale dim and the sum of all weights. Exact, or in fixed point for searches.
class PriorLosses {
public:
    /// `sources` of the family, at most 32, and queries with weight on them.
    PriorLosses(const Family& family, const Prior& prior, std::vector<int> sources);

    [[nodiscard]] int sources() const { return static_cast<int>(sources_.size()); }
    /// Queries of positive weight; the others lose nothing.
    [[nodiscard]] const std::vector<int>& queries() const { return queries_; }

    /// The loss of a set of the sources, numbered as in `sources`; `query` is an index into queries().
    [[nodiscard]] const Rational& exact(std::uint32_t set, std::size_t query) const;

    /// floor(loss / ulp) of every set, [2^sources].
    [[nodiscard]] std::vector<std::int64_t> fixed(std::size_t query) const;
    /// 2^-52 of the loss of all sources together, all queries summed; 0 where nothing is lost.
    [[nodiscard]] const Rational& ulp() const { return ulp_; }

private:
    /// sum p, the entries of sum p g, sum p |g|^2, where the integers g are the targets times a denominator.
    using Moments = std::vector<Integer>;
    [[nodiscard]] Moments moments(std::size_t source, std::size_t query) const;
    /// sum p * sum p |g|^2 - |sum p g|^2.
    [[nodiscard]] static Integer spread(const Moments& sum);

    const Family* family_;
    const Prior* prior_;
    std::vector<int> sources_;
    std::vector<int> queries_;
    Integer unit_ = 1; ///< of the targets
    Integer norm_;     ///< scale dim unit^2 total
    Rational ulp_ = 0;
    mutable std::vector<std::unordered_map<std::uint32_t, Rational>> known_;
};

/// The table of one query, for TreeSearch.
struct ExactTable {
    const PriorLosses* losses;
    std::size_t query;

    const Rational& operator[](std::uint32_t set) const { return losses->exact(set, query); }
};

} // namespace kvproof
