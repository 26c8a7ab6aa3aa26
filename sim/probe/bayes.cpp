#include "sim/probe/bayes.hpp"

#include "lib/error.hpp"
#include "sim/probe/encoder_descent.hpp"
#include "sim/probe/partition.hpp"
#include "sim/probe/prior_losses.hpp"
#include "sim/probe/set_losses.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

namespace kvproof {
namespace {

constexpr std::size_t most_ties = 1U << 18; ///< encoders kept for the exact comparison

std::vector<int> support(const Family& family, const Prior& prior) {
    std::vector<int> out;
    for (int x = 0; x < family.sources; ++x) {
        const auto row = std::span(prior.weights)
                             .subspan(static_cast<std::size_t>(x) * static_cast<std::size_t>(family.queries),
                                      static_cast<std::size_t>(family.queries));
        if (std::ranges::any_of(row, [](const Integer& weight) { return weight > 0; })) out.push_back(x);
    }
    return out;
}

/// One query, or what no query can change: records say in which of 2^depth sets the source is.
bool is_partition(const AccessClass& access, int bits, int probes, std::size_t queries) {
    return !access.sees_query || bits <= probes || probes == 0 || queries == 1;
}

/// Keeps the candidates that lose least, exactly.
class Keeper {
public:
    Keeper(std::size_t most, LeastBayesLoss& out) : most_(most), out_(out) {}

    template <class Make>
    void offer(const Rational& loss, const Make& make) {
        if (!empty_ && loss > out_.loss) return;
        if (empty_ || loss < out_.loss) out_.protocols.clear();
        empty_ = false;
        out_.loss = loss;
        if (out_.protocols.size() < most_) out_.protocols.push_back(make());
    }

private:
    std::size_t most_;
    LeastBayesLoss& out_;
    bool empty_ = true;
};

/// The search over the sources of positive weight.
class Bayes {
public:
    Bayes(const Family& family, const Prior& prior, const AccessClass& access, int bits, int probes,
          const BayesSettings& settings)
        : family_(family), access_(access), bits_(bits), depth_(std::min(bits, probes)), settings_(settings),
          sources_(support(family, prior)), losses_(family, prior, sources_) {
        if (losses_.sources() > SetLosses::most_sources)
            throw Error(ErrorCode::bad_option, "family \"" + family.name + "\": found " +
                                                   std::to_string(losses_.sources()) +
                                                   " sources of positive weight, expected at most " +
                                                   std::to_string(SetLosses::most_sources));
    }

    LeastBayesLoss search() {
        if (is_partition(access_, bits_, depth_, losses_.queries().size())) return by_partition();
        return settings_.descend ? by_descent() : by_encoders();
    }

private:
    LeastBayesLoss by_partition() {
        std::vector<std::int64_t> table(std::size_t{1} << static_cast<unsigned>(losses_.sources()));
        for (std::size_t query = 0; query < losses_.queries().size(); ++query) {
            const std::vector<std::int64_t> one = losses_.fixed(query);
            for (std::size_t set = 0; set < table.size(); ++set) table[set] += one[set];
        }
        const int parts = depth_ >= 6 ? 64 : 1 << depth_; // at most 16 sources
        const PartitionSearch search(table, losses_.sources(), parts);
        const auto error =
            static_cast<std::int64_t>(losses_.queries().size()) * std::min(parts, losses_.sources());
        LeastBayesLoss out{0, floor_of(search.least()), {}};
        Keeper keeper(settings_.most_protocols, out);
        bool stopped = false;
        std::uint64_t seen = 0;
        search.visit(settings_.exact ? error : 0, [&](const std::vector<std::uint32_t>& partition) {
            Rational loss = 0;
            for (const std::uint32_t part : partition)
                for (std::size_t query = 0; query < losses_.queries().size(); ++query)
                    loss += losses_.exact(part, query);
            keeper.offer(loss, [&] { return of_partition(partition); });
            stopped = (++seen & 0xFFU) == 0 && settings_.stop && settings_.stop();
            return stopped || !settings_.exact;
        });
        return finished(std::move(out), stopped);
    }

    LeastBayesLoss by_encoders() {
        const EncoderSpace space = encoder_space(losses_.sources(), bits_, restricted_symmetries());
        const int reads = std::min(depth_, space.bits);
        const int batches = access_.effective_batches(reads);
        std::vector<std::vector<std::int64_t>> tables;
        for (std::size_t query = 0; query < losses_.queries().size(); ++query)
            tables.push_back(losses_.fixed(query));
        const auto error = static_cast<std::int64_t>(tables.size()) << static_cast<unsigned>(reads);
        const std::int64_t window = settings_.exact ? error : 0;

        std::vector<std::pair<std::vector<std::uint32_t>, std::int64_t>> close;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        const auto prune = [&] {
            std::erase_if(close, [&](const auto& candidate) { return candidate.second - least > window; });
        };
        const auto best = best_encoder<Total, std::int64_t>(
            space, tables, batches, reads,
            [&] { return close.size() > most_ties || (settings_.stop && settings_.stop()); }, window,
            [&](std::span<const std::uint32_t> cuts, std::int64_t loss) {
                const bool better = loss < least;
                if (better) {
                    least = loss;
                    prune();
                }
                // without `exact` one is enough
                if (settings_.exact || better)
                    close.emplace_back(std::vector(cuts.begin(), cuts.end()), loss);
            });
        LeastBayesLoss out{0, best.finished ? floor_of(least) : Rational(0), {}};
        Keeper keeper(settings_.most_protocols, out);
        bool stopped = !best.finished;
        for (const auto& candidate : close) {
            const std::vector<std::uint32_t>& cuts = candidate.first;
            Rational loss = 0;
            for (std::size_t query = 0; query < losses_.queries().size(); ++query)
                loss += exact_search(query, cuts).loss(everyone(), 0, batches, reads);
            keeper.offer(loss, [&] { return of_cuts(cuts, batches, reads); });
            stopped = stopped || (settings_.stop && settings_.stop());
            if (stopped) break;
        }
        return finished(std::move(out), stopped);
    }

    /// From a few first cuts: adds the best further ones, then replaces one at a time while that helps; first
    /// for one probe, then from there for more, since reading more never hurts.
    LeastBayesLoss by_descent() {
        const EncoderSpace space = encoder_space(losses_.sources(), bits_, restricted_symmetries());
        const int reads = std::min(depth_, space.bits);
        std::vector<std::vector<std::int64_t>> tables;
        for (std::size_t query = 0; query < losses_.queries().size(); ++query)
            tables.push_back(losses_.fixed(query));
        LeastBayesLoss out{0, 0, {}};
        Keeper keeper(settings_.most_protocols, out);
        constexpr std::size_t starts = 6;
        for (std::size_t start = 0; start < std::min(starts, space.leaders.size()); ++start) {
            std::vector<std::uint32_t> cuts = {
                space.cuts[space.leaders[start * space.leaders.size() / starts]]};
            for (int probes = 1; probes <= reads; ++probes)
                if (!descend(space, tables, access_, probes, cuts, settings_.stop)) return {0, 0, {}};
            const int batches = access_.effective_batches(reads);
            Rational loss = 0;
            for (std::size_t query = 0; query < losses_.queries().size(); ++query)
                loss += exact_search(query, cuts).loss(everyone(), 0, batches, reads);
            keeper.offer(loss, [&] { return of_cuts(cuts, batches, reads); });
        }
        return out;
    }

    using ExactSearch = TreeSearch<Total, Rational, ExactTable>;

    [[nodiscard]] ExactSearch exact_search(std::size_t query, std::span<const std::uint32_t> cuts) const {
        return {ExactTable{&losses_, query}, cuts};
    }
    [[nodiscard]] std::uint32_t everyone() const {
        return (std::uint32_t{1} << static_cast<unsigned>(losses_.sources())) - 1;
    }
    [[nodiscard]] Rational floor_of(std::int64_t ulps) const { return losses_.ulp() * ulps; }

    LeastBayesLoss finished(LeastBayesLoss out, bool stopped) const {
        if (stopped)
            out.protocols.clear();
        else if (settings_.exact)
            out.at_least = out.loss;
        return out;
    }

    /// A permutation that fixes the prior maps its support to itself.
    [[nodiscard]] std::vector<std::vector<int>> restricted_symmetries() const {
        std::vector<int> place(static_cast<std::size_t>(family_.sources), -1);
        for (std::size_t i = 0; i < sources_.size(); ++i)
            place[static_cast<std::size_t>(sources_[i])] = static_cast<int>(i);
        std::vector<std::vector<int>> out;
        for (const std::vector<int>& symmetry : settings_.symmetries) {
            out.emplace_back();
            for (const int x : sources_)
                out.back().push_back(place[static_cast<std::size_t>(symmetry[static_cast<std::size_t>(x)])]);
            if (std::ranges::find(out.back(), -1) != out.back().end())
                throw Error(ErrorCode::internal, "a symmetry that moves the support of a prior");
        }
        std::ranges::sort(out);
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

    [[nodiscard]] Protocol without_records() const {
        return {bits_, std::vector<std::uint32_t>(static_cast<std::size_t>(family_.sources)), {}};
    }

    /// Record i for the i-th set, read whole.
    [[nodiscard]] Protocol of_partition(const std::vector<std::uint32_t>& partition) const {
        Protocol out = without_records();
        for (std::size_t part = 0; part < partition.size(); ++part)
            for (std::size_t i = 0; i < sources_.size(); ++i)
                if (((partition[part] >> i) & 1U) != 0)
                    out.records[static_cast<std::size_t>(sources_[i])] = static_cast<std::uint32_t>(part);
        ProbeTree tree = unread_tree(depth_);
        for (std::size_t p = 0; p < tree.addresses.size(); ++p)
            tree.addresses[p] = static_cast<int>(std::bit_width(p + 1)) - 1;
        out.trees.assign(access_.sees_query ? static_cast<std::size_t>(family_.queries) : 1, tree);
        return out;
    }

    [[nodiscard]] Protocol of_cuts(const std::vector<std::uint32_t>& cuts, int batches, int reads) const {
        Protocol out = without_records();
        for (std::size_t bit = 0; bit < cuts.size(); ++bit)
            for (std::size_t i = 0; i < sources_.size(); ++i)
                out.records[static_cast<std::size_t>(sources_[i])] |= ((cuts[bit] >> i) & 1U) << bit;
        out.trees.assign(static_cast<std::size_t>(family_.queries), unread_tree(depth_));
        for (std::size_t query = 0; query < losses_.queries().size(); ++query)
            exact_search(query, cuts)
                .write(everyone(), 0, batches, reads, 0,
                       out.trees[static_cast<std::size_t>(losses_.queries()[query])]);
        return out;
    }

    const Family& family_;
    AccessClass access_;
    int bits_;
    int depth_;
    const BayesSettings& settings_;
    std::vector<int> sources_;
    PriorLosses losses_;
};

} // namespace

Integer Prior::total() const {
    Integer sum = 0;
    for (const Integer& weight : weights) sum += weight;
    return sum;
}

Rational bayes_loss(const Protocol& protocol, const Family& family, const Prior& prior) {
    Rational loss = 0;
    for (int y = 0; y < family.queries; ++y)
        for (const std::uint64_t leaf : leaves(protocol, y)) {
            Rational mass = 0;
            Rational squares = 0;
            std::vector<Rational> mean(static_cast<std::size_t>(family.dim));
            for (std::uint64_t left = leaf; left != 0; left &= left - 1) {
                const int x = std::countr_zero(left);
                const Rational p(
                    prior.weights[static_cast<std::size_t>(x) * static_cast<std::size_t>(family.queries) +
                                  static_cast<std::size_t>(y)]);
                mass += p;
                for (std::size_t i = 0; i < mean.size(); ++i) {
                    const Rational& target = family.target(x, y)[i];
                    mean[i] += p * target;
                    squares += p * target * target;
                }
            }
            if (mass == 0) continue;
            loss += squares;
            for (const Rational& sum : mean) loss -= sum * sum / mass;
        }
    return loss / Rational(family.scale * family.dim * prior.total());
}

bool can_search(const Family& family, const AccessClass& access, int bits, int probes,
                const BayesSettings& settings) {
    if (family.sources > SetLosses::most_sources || std::min(bits, probes) > most_read) return false;
    if (is_partition(access, bits, probes, static_cast<std::size_t>(family.queries))) return true;
    return encoder_space(family.sources, bits, settings.symmetries).size() * family.queries <=
           settings.most_encoders;
}

LeastBayesLoss least_bayes_loss(const Family& family, const Prior& prior, const AccessClass& access, int bits,
                                int probes, const BayesSettings& settings) {
    Bayes bayes(family, prior, access, bits, probes, settings);
    return bayes.search();
}

} // namespace kvproof
