// The statements that rows know by name: about the running reader, and of AATC about drawn noise.

#include "proofs/aatc/noise_samples.hpp"
#include "proofs/aatc/remainder.hpp"
#include "proofs/readkv/error_bounds.hpp"
#include "proofs/readkv/obstruction.hpp"
#include "proofs/readkv/staged_reads.hpp"
#include "proofs/readkv/stagewise.hpp"
#include "proofs/readkv/theorem_1.hpp"
#include "proofs/readkv/theorem_2.hpp"

#include <map>

namespace kvproof {

SampledStatement sampled_statement(const std::string& name) {
    static const std::map<std::string, SampledStatement> statements = {
        {"staged2", [](const Sample& sample) { return reads_are_staged(sample); }},
        {"theorem1-upper", [](const Sample& sample) { return theorem_1_upper(sample); }},
        {"theorem1-schedule", [](const Sample& sample) { return theorem_1_schedule(sample); }},
        {"theorem2", [](const Sample& sample) { return theorem_2_run(sample); }},
        {"obstruction", [](const Sample& sample) { return obstruction_run(sample); }},
        {"proposition12", [](const Sample& sample) { return bound_holds(sample, proposition_12); }},
        {"sharp", [](const Sample& sample) { return bound_holds(sample, sharp_certificate); }},
        {"aatc-noise-samples", [](const Sample& sample) { return noise_samples_are_bounded(sample); }},
        {"stagewise", [](const Sample& sample) { return stages_are_optimal(sample); }},
        {"aatc-remainder", [](const Sample& sample) { return remainder_is_bounded(sample); }},
    };
    const auto found = statements.find(name);
    return found == statements.end() ? nullptr : found->second;
}

} // namespace kvproof
