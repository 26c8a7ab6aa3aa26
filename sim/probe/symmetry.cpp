#include "sim/probe/symmetry.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace kvproof {
namespace {

using Ids = std::vector<int>; ///< [sources, sources]

std::size_t at(int x, int other, int sources) {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(sources) + static_cast<std::size_t>(other);
}

/// Extends partial renamings of the sources as long as every two have the same distances, whatever their
/// order among the queries; a whole one is a symmetry where each query's table, renamed, is another's.
class Search {
public:
    Search(const Family& family, std::size_t most)
        : sources_(family.sources), most_(most), tables_(static_cast<std::size_t>(family.queries)) {
        std::map<Rational, int> ids;
        for (int y = 0; y < family.queries; ++y)
            for (const Rational& distance : distances(family, y))
                tables_[static_cast<std::size_t>(y)].push_back(
                    ids.emplace(distance, static_cast<int>(ids.size())).first->second);
        for (std::size_t y = 0; y < tables_.size(); ++y)
            if (!query_of_.emplace(tables_[y], static_cast<int>(y)).second)
                throw Error(ErrorCode::internal, "symmetries of a family with two queries that are alike");
        std::map<std::vector<int>, int> colours;
        colour_.resize(at(sources_, 0, sources_));
        for (std::size_t pair = 0; pair < colour_.size(); ++pair) {
            std::vector<int> signature;
            for (const Ids& table : tables_) signature.push_back(table[pair]);
            std::ranges::sort(signature);
            colour_[pair] = colours.emplace(signature, static_cast<int>(colours.size())).first->second;
        }
        used_.resize(static_cast<std::size_t>(sources_));
    }

    /// Nothing where there are too many.
    std::optional<std::vector<Symmetry>> all() {
        if (!extend()) return {};
        return found_;
    }

private:
    bool extend() {
        if (++looked_at_ > 64 * most_) return false;
        const int x = static_cast<int>(map_.size());
        if (x == sources_) {
            add();
            return found_.size() <= most_;
        }
        for (int image = 0; image < sources_; ++image) {
            if (used_[static_cast<std::size_t>(image)] || !fits(x, image)) continue;
            used_[static_cast<std::size_t>(image)] = true;
            map_.push_back(image);
            if (!extend()) return false;
            map_.pop_back();
            used_[static_cast<std::size_t>(image)] = false;
        }
        return true;
    }

    [[nodiscard]] bool fits(int x, int image) const {
        for (int earlier = 0; earlier < x; ++earlier)
            if (colour_[at(x, earlier, sources_)] !=
                colour_[at(image, map_[static_cast<std::size_t>(earlier)], sources_)])
                return false;
        return true;
    }

    void add() {
        Symmetry out{map_, {}};
        Ids renamed(colour_.size());
        for (const Ids& table : tables_) {
            for (int x = 0; x < sources_; ++x)
                for (int other = 0; other < sources_; ++other)
                    renamed[at(map_[static_cast<std::size_t>(x)], map_[static_cast<std::size_t>(other)],
                               sources_)] = table[at(x, other, sources_)];
            const auto query = query_of_.find(renamed);
            if (query == query_of_.end()) return;
            out.queries.push_back(query->second);
        }
        found_.push_back(std::move(out));
    }

    int sources_;
    std::size_t most_;
    std::vector<Ids> tables_;
    std::map<Ids, int> query_of_;
    Ids colour_;
    std::vector<bool> used_;
    std::vector<int> map_;
    std::vector<Symmetry> found_;
    std::size_t looked_at_ = 0;
};

} // namespace

std::vector<Rational> distances(const Family& family, int y) {
    std::vector<Rational> out;
    for (int x = 0; x < family.sources; ++x)
        for (int other = 0; other < family.sources; ++other) {
            Rational sum = 0;
            for (std::size_t i = 0; i < static_cast<std::size_t>(family.dim); ++i) {
                const Rational apart = family.target(x, y)[i] - family.target(other, y)[i];
                sum += apart * apart;
            }
            out.push_back(sum);
        }
    return out;
}

QueryClasses distinct_queries(const Family& family) {
    QueryClasses out{.family = family};
    std::map<std::vector<Rational>, int> known;
    for (int y = 0; y < family.queries; ++y) {
        const auto [place, fresh] =
            known.emplace(distances(family, y), static_cast<int>(out.representative.size()));
        out.class_of.push_back(place->second);
        if (fresh) out.representative.push_back(y);
    }
    out.family.queries = static_cast<int>(out.representative.size());
    out.family.targets.clear();
    for (int x = 0; x < family.sources; ++x)
        for (const int y : out.representative) {
            const auto target = family.target(x, y);
            out.family.targets.insert(out.family.targets.end(), target.begin(), target.end());
        }
    out.family.query_names.clear();
    if (!family.query_names.empty())
        for (const int y : out.representative)
            out.family.query_names.push_back(family.query_names[static_cast<std::size_t>(y)]);
    return out;
}

std::vector<Symmetry> symmetries(const Family& family, std::size_t most) {
    if (auto all = Search(family, most).all()) return *std::move(all);
    Symmetry identity{std::vector<int>(static_cast<std::size_t>(family.sources)),
                      std::vector<int>(static_cast<std::size_t>(family.queries))};
    std::iota(identity.sources.begin(), identity.sources.end(), 0);
    std::iota(identity.queries.begin(), identity.queries.end(), 0);
    return {identity};
}

std::vector<std::vector<int>> source_symmetries(const Family& family, std::size_t most) {
    std::vector<std::vector<int>> out;
    for (Symmetry& symmetry : symmetries(distinct_queries(family).family, most))
        out.push_back(std::move(symmetry.sources));
    return out;
}

PairOrbits pair_orbits(const Family& family, const std::vector<Symmetry>& group) {
    PairOrbits out;
    out.of.assign(static_cast<std::size_t>(family.sources) * static_cast<std::size_t>(family.queries), -1);
    for (int x = 0; x < family.sources; ++x)
        for (int y = 0; y < family.queries; ++y) {
            const auto pair = [&](int source, int query) -> int& {
                return out.of[static_cast<std::size_t>(source) * static_cast<std::size_t>(family.queries) +
                              static_cast<std::size_t>(query)];
            };
            if (pair(x, y) >= 0) continue;
            const int orbit = static_cast<int>(out.sizes.size());
            out.sizes.push_back(0);
            for (const Symmetry& symmetry : group) {
                int& image = pair(symmetry.sources[static_cast<std::size_t>(x)],
                                  symmetry.queries[static_cast<std::size_t>(y)]);
                if (image < 0) ++out.sizes.back();
                image = orbit;
            }
        }
    return out;
}

} // namespace kvproof
