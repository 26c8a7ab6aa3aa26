#pragma once
// Formulas decided in one line, with one set of quantities for the whole executable.

#include "proofs/rules/decide.hpp"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace kvproof {

/// For the reports of GoogleTest.
inline void PrintTo(Verdict verdict, std::ostream* out) { // NOLINT(readability-identifier-naming)
    *out << to_string(verdict);
}

inline void PrintTo(Why why, std::ostream* out) { // NOLINT(readability-identifier-naming)
    *out << to_string(why);
}

namespace testing_support {

inline const CertifiedQuantities& quantities() {
    static const CertifiedQuantities all;
    return all;
}

/// A precision cap of 512 bits: what is equal is soon given up.
inline Effort small_effort() {
    Effort effort;
    effort.bits = 512;
    return effort;
}

inline Decision decided(const Formula& formula, const Effort& effort = small_effort()) {
    Decision out = decide(formula, {}, {quantities(), effort});
    out.refutation.reset(); // it points into the formula, which may end before the decision
    return out;
}

inline Decision decided(const std::string& formula, const Effort& effort = small_effort()) {
    const Formula parsed = parse_formula(formula);
    return decided(parsed, effort);
}

inline Verdict verdict_of(const std::string& formula, const Effort& effort = small_effort()) {
    return decided(formula, effort).verdict;
}

/// The values of the witness of this name, joined; empty where there is none.
inline std::string witness_of(const Decision& decision, const std::string& name) {
    for (const Witness& witness : decision.witness) {
        if (witness.name != name) continue;
        std::string out;
        for (const std::string& value : witness.values) out += (out.empty() ? "" : ", ") + value;
        return out;
    }
    return "";
}

} // namespace testing_support
} // namespace kvproof
