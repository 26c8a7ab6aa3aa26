#include "proofs/certificate/game_limits.hpp"

#include <set>

namespace kvproof {
namespace {

Integer binomial(const Integer& n, long k) {
    Integer out = 1;
    for (long i = 0; i < k; ++i) out = out * (n - i) / (i + 1);
    return out < 0 ? Integer(0) : out;
}

Integer two_to(long exponent) {
    return Integer(1) << static_cast<unsigned>(exponent);
}

/// Leaves of all the trees that are tried, T(v, s, J) of docs/probe.md.
Integer leaves_tried(long cuts, long probes, long batches) {
    if (probes == 0) return 1;
    if (batches == 1 || probes == cuts) return binomial(cuts, probes) * two_to(probes);
    const long used = std::min(batches, probes);
    Integer out = 0;
    for (long k = 1; k <= probes - used + 1; ++k)
        out += binomial(cuts, k) * two_to(k) * leaves_tried(cuts - k, probes - k, used - 1);
    return out;
}

} // namespace

bool is_checkable(const Family& family, const AccessClass& access, int bits, int probes,
                  const Bracket& bracket) {
    if (bracket.lower_rule == LowerRule::nothing) return true;
    // with one query named, checkers take partitions, as the searcher did
    if (bracket.lower_rule == LowerRule::full_read) return false;
    const auto queries = static_cast<std::size_t>(family.queries);
    std::set<std::size_t> named_sources;
    std::set<std::size_t> named_queries;
    for (std::size_t i = 0; i < bracket.prior.weights.size(); ++i) {
        if (bracket.prior.weights[i] == 0) continue;
        named_sources.insert(i / queries);
        named_queries.insert(i % queries);
    }
    const auto n = static_cast<long>(named_sources.size());
    const auto q = static_cast<long>(named_queries.size());
    if (n > 16 || two_to(n) * q > two_to(22)) return false;
    if (!access.sees_query || probes == 0 || bits == 0 || probes >= bits || q == 1) return true;
    const Integer all_cuts = two_to(n - 1) - 1;
    const long cuts = all_cuts < bits ? static_cast<long>(all_cuts) : bits;
    const long batches = access.batches == AccessClass::unlimited ? 100 : access.batches;
    return binomial(all_cuts, cuts) * q * leaves_tried(cuts, std::min<long>(probes, cuts), batches) <=
           two_to(28);
}

} // namespace kvproof
