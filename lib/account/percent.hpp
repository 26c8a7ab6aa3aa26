#pragma once

#include "lib/account/bits.hpp"

namespace kvproof {

/// The attention calls of a run: one in each layer at every cache length first..last (1 <= first <= last).
struct AttentionRun {
    long first = 1;
    long last = 1;
    /// The cache length at which capacity is taken where nothing else is said: the tokens of a causal pass,
    /// the prompt of an answer (ReadKV A.1).
    long reference = 1;
};

/// "causal:T": a pass over T tokens, calls at 1..T. "answer:N,G": G >= 2 tokens after a dense prefill of N,
/// which already chose the first; the last is not forwarded: calls at N+1..N+G-1 (ReadKV A.1). Lengths up to
/// 10^9. Throws Error(bad_option).
[[nodiscard]] AttentionRun parse_run(std::string_view text);

/// What a whole model reads over a run, and retains at cache length t. With `protect` the first two and the
/// last two layers are dense; the tables are retained once where any layer is compressed. Throws
/// Error(bad_option) for `protect` on fewer than four layers.
[[nodiscard]] Cost model_read_bits(const System& system, const ModelGeometry& model, const AttentionRun& run);
[[nodiscard]] Cost model_capacity_bits(const System& system, const ModelGeometry& model, long t);

/// 100 times the bits over those of Dense in the same calls, or at the same length: the fields of ReadKV's
/// Tables 2, 3, 6, 7 and 8.
[[nodiscard]] Rational reads_percent(const System& system, const ModelGeometry& model,
                                     const AttentionRun& run);
[[nodiscard]] Rational capacity_percent(const System& system, const ModelGeometry& model, long t);

} // namespace kvproof
