#include "proofs/readkv/error_bounds.hpp"

#include "proofs/outcome.hpp"
#include "proofs/readkv/synthetic_case.hpp"

#include <cmath>

namespace kvproof {

double proposition_12(const Certified& row) {
    return row.bound;
}

double sharp_certificate(const Certified& row) {
    return row.sharp_bound;
}

Decision bound_holds(const Sample& sample, const BoundOf& bound) {
    Outcome outcome;
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        const SyntheticCase drawn = synthetic_case(sample, i);
        ReaderRun run(drawn.layer, drawn.calibration, drawn.setup, readkv_policy);
        const ExactLayer exact(drawn.layer, drawn.setup.keys, drawn.setup.values);
        Certifier certifier(exact, run.reader(), {.pool_per_head = drawn.setup.per_head});
        std::vector<Certified> rows;
        certifier.certify(drawn.layer.q, run.run(drawn.layer.q, drawn.visible), rows);
        for (const Certified& row : rows) {
            outcome.count();
            const std::string where = drawn.where + ", query head " + std::to_string(row.head);
            const double limit = bound(row);
            if (std::isnan(limit) || !std::isfinite(row.error_sq))
                outcome.fail("a number is missing", where);
            else if (row.error_sq > limit || (std::isfinite(limit) && row.error_sq > 0x1p-60 * row.output_sq))
                outcome.hold(rational_from(row.error_sq), rational_from(limit), where);
        }
    }
    return outcome.decision();
}

} // namespace kvproof
