// Statements about the running program, which no formula can say: they are tried, never proved.

#include "lib/error.hpp"
#include "proofs/rules/decide.hpp"
#include "proofs/sample.hpp"

namespace kvproof {

Decision decide_sample(const Formula& named, const Context& context) {
    constexpr std::uint64_t at_full_effort = 20;
    const SampledStatement statement = sampled_statement(named.subject);
    if (statement == nullptr)
        throw Error(ErrorCode::bad_formula,
                    "no statement about the reader is named \"" + named.subject + "\"");
    const auto seed = static_cast<std::uint64_t>(named.parameters[0]);
    const auto cases = static_cast<std::uint64_t>(named.parameters[1]);
    Decision out =
        statement({context.quantities.code(), seed, context.effort.full ? at_full_effort * cases : cases});
    out.witness.insert(out.witness.begin(), {"seed", {std::to_string(seed)}});
    if (out.verdict == Verdict::proved) out.verdict = Verdict::supported; // whatever the statement says
    return out;
}

} // namespace kvproof
