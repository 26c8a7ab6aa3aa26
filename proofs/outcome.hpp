#pragma once

#include "proofs/decision.hpp"

#include <string>

namespace kvproof {

/// What the cases of a sample have shown so far.
class Outcome {
public:
    /// One more case that was tried.
    void count() { ++cases_; }
    /// Whether `bound` covers `error`; keeps the smallest bound/error, and where it was seen. A case without
    /// an error has no ratio.
    void hold(const Rational& error, const Rational& bound, const std::string& where);
    /// A case in which the statement is false; the first is kept.
    void fail(const std::string& what, const std::string& where);
    [[nodiscard]] bool failed() const { return !fails_.empty(); }

    /// Supported, or refuted by the first case that failed.
    [[nodiscard]] Decision decision() const;

private:
    std::uint64_t cases_ = 0;
    std::optional<Rational> slack_;
    std::string tightest_;
    std::string fails_;
    std::string failing_case_;
};

} // namespace kvproof
