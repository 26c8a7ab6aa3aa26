#include "sim/probe/deterministic.hpp"

#include "lib/error.hpp"
#include "sim/probe/clique.hpp"
#include "sim/probe/conflicts.hpp"
#include "sim/probe/enclosing_ball.hpp"
#include "sim/probe/minimax.hpp"
#include "sim/probe/sat_solver.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace kvproof {
namespace {

int depth_of(int bits, int probes) {
    return std::min(bits, probes);
}

/// The number of a value among those that a risk can have.
std::size_t rank_of(const SmallSets& sets, const Rational& value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(sets.values, value) - sets.values.begin());
}

/// Sources of which no two may end in one leaf (a tree has at most 2^D), or share a record, if they are too
/// many; else none.
std::vector<int> clique_at(const Family& family, const SmallSets& sets, const AccessClass& access, int bits,
                           int probes, const Rational& value) {
    const int cells = access.sees_query ? bits : depth_of(bits, probes);
    if (cells >= std::numeric_limits<std::size_t>::digits) return {};
    return clique_above(conflict_graph(sets, value, family.sources),
                        std::size_t{1} << static_cast<unsigned>(cells));
}

/// What the solver says of a formula: at first as it is, then, where that is too hard, of least records only.
struct Answered {
    SatResult result;
    Cnf cnf;
    LowerKind kind = LowerKind::unsat;
    std::vector<Renaming> renamings = {};
};

Answered answer(const Encoding& encoding, const ConflictLists& lists, int sources,
                const RiskSettings& settings) {
    const bool is_short = settings.most_conflicts >= 0 && settings.most_conflicts <= settings.plain_conflicts;
    Answered out{.result = solve(encoding.cnf(), settings.stop,
                                 is_short ? settings.most_conflicts : settings.plain_conflicts),
                 .cnf = encoding.cnf()};
    if (is_short || out.result.answer != SatAnswer::unknown || (settings.stop && settings.stop())) return out;
    out.kind = LowerKind::least;
    out.renamings = exchanges(lists, sources);
    require_least_records(out.cnf, encoding.bits(), sources, out.renamings);
    out.result = solve(out.cnf, settings.stop, settings.most_conflicts);
    return out;
}

/// Nothing where the solver did not refute the formula, or `stop` ended what follows.
std::optional<LowerWitness> unsat_witness(const Answered& answered, const StopRequest& stop) {
    if (answered.result.answer != SatAnswer::unsatisfiable) return {};
    auto proof = unsat_proof(answered.cnf, answered.result.trace, stop);
    if (!proof) return {};
    require_valid_proof(answered.cnf, *proof);
    return LowerWitness{answered.kind, {}, std::move(*proof), answered.renamings};
}

/// Narrows the place of the risk among the values that it can have.
class RiskSearch {
public:
    RiskSearch(const Family& family, const AccessClass& access, int bits, int probes,
               const RiskSettings& settings, SmallSets sets)
        : family_(family), access_(access), bits_(bits), probes_(probes), settings_(settings),
          sets_(std::move(sets)) {
        take(unread_protocol(family, access, bits, probes));
        if (settings.start) take(widened(*settings.start, bits, probes));
    }

    DeterministicRisk run() {
        bound_by_cliques();
        while (const std::size_t v = next_candidate()) ask(v);
        return {sets_.values[lower_], sets_.values[upper_], std::move(protocol_), std::move(witness_)};
    }

private:
    void take(Protocol protocol) {
        require_within(protocol, family_, access_, bits_, probes_);
        const std::size_t risk = rank_of(sets_, worst_loss(protocol, family_));
        if (!protocol_.trees.empty() && risk >= upper_) return;
        upper_ = risk;
        protocol_ = std::move(protocol);
    }

    /// The largest value that a clique shows.
    void bound_by_cliques() {
        std::size_t above = upper_ + 1;
        while (lower_ + 1 < above) {
            const std::size_t v = lower_ + (above - lower_) / 2;
            std::vector<int> clique = clique_at(family_, sets_, access_, bits_, probes_, sets_.values[v]);
            if (clique.empty()) {
                above = v;
            } else {
                lower_ = v;
                witness_ = {LowerKind::clique, std::move(clique), {}};
            }
        }
    }

    /// Where to ask next: the middle of what is open; then, around values that the solver gave up, from above
    /// and from below. 0 where nothing is left.
    [[nodiscard]] std::size_t next_candidate() const {
        if (settings_.stop && settings_.stop()) return 0;
        const auto middle = [](std::size_t lower, std::size_t upper) {
            return lower + (upper - lower + 1) / 2;
        };
        if (lower_ == upper_) return 0;
        const std::size_t first = std::max(given_up_first_, lower_ + 1);
        const std::size_t last = std::min(given_up_last_, upper_);
        if (first > last) return middle(lower_, upper_);
        if (last < upper_) return middle(last, upper_);
        if (lower_ + 1 < first) return middle(lower_, first - 1);
        return 0;
    }

    /// Whether some protocol has a risk below value v.
    void ask(std::size_t v) {
        const ConflictLists lists = conflict_lists(sets_, sets_.values[v], access_.sees_query);
        const Encoding encoding(lists, access_, family_.sources, bits_, probes_);
        const Answered answered = answer(encoding, lists, family_.sources, settings_);
        if (answered.result.answer == SatAnswer::satisfiable) {
            take(encoding.protocol(answered.result.model));
            if (upper_ >= v) throw Error(ErrorCode::internal, "a model whose protocol has too large a risk");
            return;
        }
        if (auto witness = unsat_witness(answered, settings_.stop)) {
            lower_ = v;
            witness_ = std::move(*witness);
            return;
        }
        given_up_first_ = std::min(given_up_first_, v);
        given_up_last_ = std::max(given_up_last_, v);
    }

    const Family& family_;
    AccessClass access_;
    int bits_;
    int probes_;
    const RiskSettings& settings_;
    SmallSets sets_;
    std::size_t lower_ = 0; ///< ranks among the values
    std::size_t upper_ = 0;
    std::size_t given_up_first_ = std::numeric_limits<std::size_t>::max();
    std::size_t given_up_last_ = 0;
    Protocol protocol_;
    LowerWitness witness_;
};

/// Records are words, and the trees of all queries are written out.
void require_budgets(const Family& family, const AccessClass& access, int bits, int probes) {
    constexpr int most = 32;
    constexpr int most_nodes = 24; // log2
    for (const int budget : {bits, probes})
        if (budget < 0 || budget > most)
            throw Error(ErrorCode::bad_option, "found a budget of " + std::to_string(budget) +
                                                   " bits, expected 0 to " + std::to_string(most));
    const auto trees = static_cast<std::uint64_t>(access.sees_query ? family.queries : 1);
    if (trees << static_cast<unsigned>(depth_of(bits, probes)) > std::uint64_t{1} << most_nodes)
        throw Error(ErrorCode::bad_option, "family \"" + family.name + "\": found " + std::to_string(trees) +
                                               " trees of " + std::to_string(depth_of(bits, probes)) +
                                               " probes, expected at most 2^24 nodes in all");
}

bool should_try_all(const Family& family, int bits, const RiskSettings& settings) {
    if (settings.engine != RiskEngine::automatic) return settings.engine == RiskEngine::exhaustive;
    constexpr int most_sources = 10; // beyond, the losses of all sets take longer than the solver
    return family.sources <= most_sources && family.dim == 1 &&
           encoder_space(family.sources, bits, settings.symmetries).size() <= settings.most_encoders;
}

} // namespace

Protocol for_class(Protocol protocol, const Family& family, const AccessClass& access) {
    if (access.sees_query && protocol.trees.size() == 1)
        protocol.trees.resize(static_cast<std::size_t>(family.queries), protocol.trees.front());
    return protocol;
}

Protocol widened(const Protocol& protocol, int bits, int probes) {
    Protocol out = protocol;
    out.bits = bits;
    const int depth = depth_of(bits, probes);
    for (ProbeTree& tree : out.trees) {
        if (tree.depth > depth) throw Error(ErrorCode::internal, "a protocol that reads more than it may");
        tree.depth = depth;
        tree.addresses.resize((std::size_t{1} << static_cast<unsigned>(depth)) - 1, ProbeTree::stop);
    }
    return out;
}

DeterministicRisk deterministic_risk(const Family& family, const AccessClass& access, int bits, int probes,
                                     const RiskSettings& settings) {
    require_budgets(family, access, bits, probes);
    Protocol unread = unread_protocol(family, access, bits, probes);
    const Rational worst = worst_loss(unread, family);
    if (depth_of(bits, probes) == 0)
        return {worst, worst, std::move(unread), {worst > 0 ? LowerKind::unread : LowerKind::zero, {}, {}}};
    if (should_try_all(family, bits, settings))
        if (const auto best =
                exhaustive_risk(family, access, bits, probes, settings.symmetries, settings.stop))
            return {best->risk,
                    best->risk,
                    widened(best->protocol, bits, probes),
                    {best->risk == 0 ? LowerKind::zero : LowerKind::exhaustive, {}, {}}};
    auto sets = small_sets(family, settings.stop);
    if (!sets) return {0, worst, std::move(unread), {}};
    return RiskSearch(family, access, bits, probes, settings, std::move(*sets)).run();
}

std::optional<LowerWitness> lower_witness(const Family& family, const AccessClass& access, int bits,
                                          int probes, const Rational& value, const RiskSettings& settings) {
    require_budgets(family, access, bits, probes);
    if (value <= 0) return LowerWitness{};
    if (depth_of(bits, probes) == 0) {
        if (worst_loss(unread_protocol(family, access, bits, probes), family) < value) return {};
        return LowerWitness{LowerKind::unread, {}, {}};
    }
    const auto found = small_sets(family, settings.stop);
    if (!found) return {};
    const SmallSets& sets = *found;
    std::vector<int> clique = clique_at(family, sets, access, bits, probes, value);
    if (!clique.empty()) return LowerWitness{LowerKind::clique, std::move(clique), {}};
    const ConflictLists lists = conflict_lists(sets, value, access.sees_query);
    const Encoding encoding(lists, access, family.sources, bits, probes);
    return unsat_witness(answer(encoding, lists, family.sources, settings), settings.stop);
}

std::string_view to_string(LowerKind kind) {
    switch (kind) {
    case LowerKind::zero: return "zero";
    case LowerKind::unread: return "unread";
    case LowerKind::clique: return "clique";
    case LowerKind::unsat: return "unsat";
    case LowerKind::least: return "least";
    case LowerKind::exhaustive: return "exhaustive";
    }
    return "";
}

} // namespace kvproof
