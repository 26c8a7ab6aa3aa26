#include "probe_bayes.hpp"

#include "probe_conflicts.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace kvcheck {
namespace {

using Set = std::uint32_t;

constexpr std::size_t most_sources = 16;       // that a prior may name
constexpr std::size_t most_sets = 1UL << 22;   // sets of sources times queries
constexpr unsigned long most_work = 1UL << 28; // leaves of the trees that are tried

/// How many leaves one query's trees have that read r of w cuts, as `tree_loss` tries them.
mpz_class tree_leaves(unsigned long w, unsigned long r, unsigned long batches) {
    if (r == 0) return 1;
    mpz_class ways;
    if (batches == 1 || r == w) {
        mpz_bin_uiui(ways.get_mpz_t(), w, r);
        return ways << r;
    }
    batches = std::min(batches, r);
    mpz_class total;
    for (unsigned long size = 1; size <= r - batches + 1; ++size) {
        mpz_bin_uiui(ways.get_mpz_t(), w, size);
        const mpz_class rest = tree_leaves(w - size, r - size, batches - 1);
        total += (ways << size) * rest;
    }
    return total;
}

/// The losses of all sets of the prior's sources for one query: sum of weight |target - mean|^2.
std::vector<mpq_class> query_losses(const ProbeFamily& family, std::size_t y,
                                    const std::vector<std::size_t>& sources,
                                    const std::vector<WeightedPair>& prior) {
    const std::size_t m = family.numbers;
    std::vector<mpz_class> weight(sources.size());
    for (const WeightedPair& pair : prior) {
        if (pair.y != y) continue;
        const auto at = std::lower_bound(sources.begin(), sources.end(), pair.x);
        weight[static_cast<std::size_t>(at - sources.begin())] = pair.weight;
    }
    const std::size_t sets = std::size_t{1} << sources.size();
    // Of each set, from the set without its lowest source: weight, first moments, second moment.
    std::vector<std::vector<mpz_class>> moments(sets, std::vector<mpz_class>(m + 2));
    std::vector<mpq_class> losses(sets);
    for (std::size_t set = 1; set < sets; ++set) {
        const auto lowest = static_cast<std::size_t>(std::countr_zero(set));
        const mpz_class* target = family.target(y, sources[lowest]);
        std::vector<mpz_class>& own = moments[set];
        own = moments[set & (set - 1)];
        own[m] += weight[lowest];
        mpz_class spread;
        for (std::size_t k = 0; k < m; ++k) {
            own[k] += weight[lowest] * target[k];
            own[m + 1] += weight[lowest] * target[k] * target[k];
            spread -= own[k] * own[k];
        }
        spread += own[m] * own[m + 1];
        if (own[m] != 0) {
            losses[set] = mpq_class(spread, own[m]);
            losses[set].canonicalize();
        }
    }
    return losses;
}

/// Tables of losses of one type: long where a common denominator brings them there, else fractions.
template <class Loss>
class Search {
public:
    Search(std::vector<std::vector<Loss>> tables, std::size_t sources)
        : tables_(std::move(tables)), sources_(sources), everyone_((Set{1} << sources) - 1) {}

    /// Over all partitions into at most 2^depth parts.
    Loss over_partitions(unsigned depth) const {
        std::vector<Loss> least = tables_[0];
        for (std::size_t y = 1; y < tables_.size(); ++y)
            for (std::size_t set = 0; set < least.size(); ++set) least[set] += tables_[y][set];
        for (unsigned level = 0; level < depth; ++level) {
            if (std::size_t{1} << level >= sources_) break; // every source has a part of its own
            std::vector<Loss> next = least;
            for (Set set = 1; set <= everyone_; ++set) {
                if (level + 1 == depth && set != everyone_) continue;
                const Set highest = std::bit_floor(set);
                const Set others = set ^ highest;
                for (Set part = others; part != 0; part = (part - 1) & others) {
                    const Loss sum = least[part] + least[set ^ part];
                    if (sum < next[set]) next[set] = sum;
                }
            }
            least = std::move(next);
        }
        return least[everyone_];
    }

    /// Over all sets of w different cuts that leave source 0 out.
    Loss over_cuts(unsigned w, unsigned r, unsigned batches) {
        cuts_.clear();
        has_best_ = false;
        choose(2, w, r, batches);
        return best_;
    }

private:
    void choose(Set first, unsigned more, unsigned r, unsigned batches) {
        if (more == 0) {
            Loss sum = 0;
            for (const std::vector<Loss>& table : tables_) {
                sum += tree_loss(table, everyone_, (1U << cuts_.size()) - 1, r, batches);
                if (has_best_ && sum >= best_) return;
            }
            best_ = sum;
            has_best_ = true;
            return;
        }
        for (Set cut = first; cut <= everyone_ && !(has_best_ && best_ == 0); cut += 2) {
            cuts_.push_back(cut);
            choose(cut + 2, more - 1, r, batches);
            cuts_.pop_back();
        }
    }

    /// The least loss of the sources in `set` where r of the cuts `free` may be read in so many batches.
    Loss tree_loss(const std::vector<Loss>& table, Set set, Set free, unsigned r, unsigned batches) const {
        if (r == 0 || (set & (set - 1)) == 0) return table[set];
        const auto left = static_cast<unsigned>(std::popcount(free));
        batches = std::min(batches, r);
        const bool at_once = batches == 1 || r >= left;
        const unsigned least_size = at_once ? std::min(r, left) : 1;
        const unsigned most_size = at_once ? least_size : r - batches + 1;
        Loss best = table[set];
        for (unsigned size = least_size; size <= most_size; ++size)
            take_batch(table, set, free, 0, free, size, r - size, at_once ? 0 : batches - 1, best);
        return best;
    }

    /// Chooses `more` further cuts of `from` for a batch.
    void take_batch(const std::vector<Loss>& table, Set set, Set free, Set batch, Set from, unsigned more,
                    unsigned r, unsigned batches, Loss& best) const {
        if (more == 0) {
            const Loss loss = split_loss(table, set, free & ~batch, batch, batches == 0 ? 0 : r, batches);
            if (loss < best) best = loss;
            return;
        }
        for (; static_cast<unsigned>(std::popcount(from)) >= more; from &= from - 1) {
            const Set cut = from & (~from + 1);
            take_batch(table, set, free, batch | cut, from & (from - 1), more - 1, r, batches, best);
        }
    }

    /// What the cuts of a batch leave, each part read on with the cuts that are free then.
    Loss split_loss(const std::vector<Loss>& table, Set set, Set free, Set batch, unsigned r,
                    unsigned batches) const {
        if (set == 0) return 0;
        if (batch == 0) return tree_loss(table, set, free, r, batches);
        const Set cut = cuts_[static_cast<std::size_t>(std::countr_zero(batch))];
        Loss sum = split_loss(table, set & cut, free, batch & (batch - 1), r, batches);
        sum += split_loss(table, set & ~cut, free, batch & (batch - 1), r, batches);
        return sum;
    }

    std::vector<std::vector<Loss>> tables_;
    std::size_t sources_;
    Set everyone_;
    std::vector<Set> cuts_;
    Loss best_ = 0;
    bool has_best_ = false;
};

/// The multiple of all losses that are then integers, whose sum a long holds; 0 where there is none.
mpz_class common_factor(const std::vector<std::vector<mpq_class>>& tables) {
    mpz_class factor = 1;
    mpq_class sum = 1; // no set loses more than all sources together
    for (const std::vector<mpq_class>& table : tables) {
        sum += table.back();
        for (const mpq_class& loss : table) {
            factor = lcm(factor, loss.get_den());
            if (!factor.fits_slong_p()) return 0;
        }
    }
    return floor_of(sum * factor).fits_slong_p() ? factor : mpz_class(0);
}

template <class Loss>
Loss least(Search<Loss> search, bool by_leaves, const Access& access, unsigned w, unsigned r,
           unsigned depth) {
    return by_leaves ? search.over_partitions(depth) : search.over_cuts(w, r, access.batches);
}

} // namespace

mpq_class least_expected_loss(const ProbeFamily& family, const Access& access, unsigned w, unsigned r,
                              const std::vector<WeightedPair>& prior) {
    std::set<std::size_t> named;
    std::set<std::size_t> queries;
    mpz_class total = 0;
    for (const WeightedPair& pair : prior) {
        named.insert(pair.x);
        queries.insert(pair.y);
        total += pair.weight;
    }
    const std::vector<std::size_t> sources(named.begin(), named.end());
    if (sources.size() > most_sources || queries.size() << sources.size() > most_sets) throw TooLarge{};
    const unsigned depth = std::min(w, r);
    // Nothing, all of the record, or for one query only: the records may as well say which leaf it is.
    const bool by_leaves = !access.sees_query || depth == 0 || depth == w || queries.size() == 1;
    const unsigned long every_cut = (1UL << (sources.size() - 1)) - 1;
    w = static_cast<unsigned>(std::min<unsigned long>(w, every_cut));
    r = std::min(r, w);
    if (!by_leaves) {
        mpz_class work;
        mpz_bin_uiui(work.get_mpz_t(), every_cut, w);
        work *= tree_leaves(w, r, access.batches) * static_cast<unsigned long>(queries.size());
        if (work > most_work) throw TooLarge{};
    }
    std::vector<std::vector<mpq_class>> tables;
    for (const std::size_t y : queries) tables.push_back(query_losses(family, y, sources, prior));
    const mpz_class factor = common_factor(tables);
    mpq_class best;
    if (factor == 0) {
        best = least(Search<mpq_class>(std::move(tables), sources.size()), by_leaves, access, w, r, depth);
    } else {
        std::vector<std::vector<long>> scaled;
        for (const std::vector<mpq_class>& table : tables) {
            scaled.emplace_back();
            for (const mpq_class& loss : table)
                scaled.back().push_back(mpz_class(loss.get_num() * (factor / loss.get_den())).get_si());
        }
        best = least(Search<long>(std::move(scaled), sources.size()), by_leaves, access, w, r, depth);
        best /= factor;
    }
    return best / (total * family.unit);
}

} // namespace kvcheck
