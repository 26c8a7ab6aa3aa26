#pragma once

#include "sim/probe/encoder_search.hpp"
#include "sim/probe/least_records.hpp"
#include "sim/probe/protocol.hpp"
#include "sim/probe/unsat_proof.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kvproof {

enum class RiskEngine {
    automatic,  ///< exhaustive where there are few encoders, else sat
    exhaustive, ///< every encoder up to symmetry
    sat,        ///< a formula for each candidate risk
};

/// Why no protocol has a smaller risk (docs/probe.md, "lower").
enum class LowerKind {
    zero,       ///< no loss is smaller
    unread,     ///< nothing is read: one leaf holds all sources
    clique,     ///< too many sources of which no two may share a leaf (or a record)
    unsat,      ///< a refuted formula
    least,      ///< a refuted formula with the clauses of least_records.hpp
    exhaustive, ///< all encoders were tried: true, but no certificate; see lower_witness
};

/// "zero" and so on.
[[nodiscard]] std::string_view to_string(LowerKind kind);

struct LowerWitness {
    LowerKind kind = LowerKind::zero;
    std::vector<int> clique = {};         ///< ascending
    std::vector<RupLine> proof = {};      ///< of the formula at the bound
    std::vector<Renaming> renamings = {}; ///< those that the formula was given

    bool operator==(const LowerWitness&) const = default;
};

/// What is known of a deterministic minimax risk: it is in [lower, upper], equal where it was decided.
struct DeterministicRisk {
    Rational lower;
    Rational upper;
    Protocol protocol;    ///< its risk is `upper`; its trees have min(w, r) levels
    LowerWitness witness; ///< why the risk is at least `lower`

    [[nodiscard]] bool decided() const { return lower == upper; }
};

struct RiskSettings {
    RiskEngine engine = RiskEngine::automatic;
    StopRequest stop = {};
    std::int64_t most_conflicts = -1; ///< of the solver for each candidate risk; -1: any number
    /// The clauses of least_records.hpp are added where the solver met so many (about a second).
    std::int64_t plain_conflicts = 20'000;
    /// Automatic: at most so many encoders are tried one by one.
    double most_encoders = 200'000;
    std::vector<std::vector<int>> symmetries = {}; ///< for encoder_space
    /// A protocol of the class and budgets to start from: one of fewer bits or probes, or of a weaker class.
    std::optional<Protocol> start = {};
};

/// The deterministic minimax risk of one class and budget. Stopped, it returns the bracket that is known by
/// then. Throws Error(bad_option) for budgets that are negative or more than 32 bits, for a family with too
/// many small sets or sources (exhaustive), for classes with too many shapes and for too many nodes of trees.
[[nodiscard]] DeterministicRisk deterministic_risk(const Family& family, const AccessClass& access, int bits,
                                                   int probes, const RiskSettings& settings = {});

/// A witness, never `exhaustive`, that the risk is at least `value`; nothing where that is false or the
/// search was stopped.
[[nodiscard]] std::optional<LowerWitness> lower_witness(const Family& family, const AccessClass& access,
                                                        int bits, int probes, const Rational& value,
                                                        const RiskSettings& settings = {});

/// The same protocol for at least as many bits and probes: its trees have min(bits, probes) levels, the new
/// ones unread.
[[nodiscard]] Protocol widened(const Protocol& protocol, int bits, int probes);

/// A protocol of a class within this one, with a tree for each query where the class has that.
[[nodiscard]] Protocol for_class(Protocol protocol, const Family& family, const AccessClass& access);

} // namespace kvproof
