#include "proofs/outcome.hpp"

#include "lib/exact/decimal.hpp"

namespace kvproof {
namespace {

std::string short_decimal(const Rational& value) {
    return lower_decimal(Interval(value, 64), 9);
}

} // namespace

void Outcome::hold(const Rational& error, const Rational& bound, const std::string& where) {
    if (error > bound) {
        fail("error " + short_decimal(error) + " > bound " + short_decimal(bound), where);
    } else if (error > 0) {
        const Rational slack = bound / error;
        if (slack_ && slack >= *slack_) return;
        slack_ = slack;
        tightest_ = where;
    }
}

void Outcome::fail(const std::string& what, const std::string& where) {
    if (failed()) return;
    fails_ = what;
    failing_case_ = where;
}

Decision Outcome::decision() const {
    Decision out;
    out.cases = cases_;
    out.verdict = failed() ? Verdict::refuted : Verdict::supported;
    if (failed()) {
        out.witness = {{"fails", {fails_}}, {"case", {failing_case_}}};
        return out;
    }
    if (slack_) {
        out.slack = Interval(*slack_, 64);
        out.witness.push_back({"tightest case", {tightest_}});
    }
    return out;
}

} // namespace kvproof
