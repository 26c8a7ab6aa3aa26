#include "sim/probe/unsat_proof.hpp"

#include "lib/error.hpp"
#include "sim/probe/drat_trace.hpp"
#include "sim/probe/rup_deriver.hpp"

#include <algorithm>
#include <string>

namespace kvproof {
namespace {

/// Only the lines that the last one needs, in order, with new numbers.
std::vector<RupLine> needed(const std::vector<RupLine>& lines, std::size_t clauses) {
    std::vector<int> number(lines.size()); // 0 where not needed
    number.back() = 1;
    for (std::size_t k = lines.size(); k-- > 0;)
        if (number[k] != 0)
            for (const int hint : lines[k].hints)
                if (static_cast<std::size_t>(hint) > clauses)
                    number[static_cast<std::size_t>(hint) - clauses - 1] = 1;
    auto next = static_cast<int>(clauses);
    std::vector<RupLine> out;
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (number[k] == 0) continue;
        number[k] = ++next;
        out.push_back(lines[k]);
        for (int& hint : out.back().hints)
            if (static_cast<std::size_t>(hint) > clauses)
                hint = number[static_cast<std::size_t>(hint) - clauses - 1];
    }
    return out;
}

std::vector<RupLine> finished(const RupDeriver& deriver, std::size_t clauses) {
    if (!deriver.refuted())
        throw Error(ErrorCode::internal, "the solver's trace ends without the empty clause");
    return needed(deriver.lines(), clauses);
}

/// Asks only now and then: a clock costs more than a derivation.
class Pause {
public:
    explicit Pause(const StopRequest& stop) : stop_(stop) {}
    bool is_over() { return (++steps_ & 0xFFU) == 0 && stop_ && stop_(); }

private:
    const StopRequest& stop_;
    unsigned steps_ = 0;
};

/// Derives the lines again. Each is forgotten after its last use, as the solver did with what it no longer
/// used: fewer clauses in the way make other, often fewer, hints. The lines as they are where `stop` ends it.
std::vector<RupLine> derived_again(const Cnf& cnf, const std::vector<RupLine>& lines,
                                   const StopRequest& stop) {
    const std::size_t clauses = cnf.clauses.size();
    std::vector<std::vector<std::size_t>> last_uses(lines.size());
    std::vector<bool> used(lines.size());
    for (std::size_t k = lines.size(); k-- > 0;)
        for (const int hint : lines[k].hints) {
            if (static_cast<std::size_t>(hint) <= clauses) continue;
            const std::size_t line = static_cast<std::size_t>(hint) - clauses - 1;
            if (!used[line]) last_uses[k].push_back(line);
            used[line] = true;
        }
    RupDeriver deriver(cnf);
    Pause pause(stop);
    for (std::size_t k = 0; k < lines.size() && !deriver.refuted(); ++k) {
        if (pause.is_over()) return lines;
        deriver.derive(lines[k].literals);
        for (const std::size_t line : last_uses[k]) deriver.forget(lines[line].literals);
    }
    return finished(deriver, clauses);
}

std::size_t size_of(const std::vector<RupLine>& lines) {
    std::size_t out = 0;
    for (const RupLine& line : lines) out += line.literals.size() + line.hints.size();
    return out;
}

[[noreturn]] void refuse(std::size_t line, const std::string& what) {
    throw Error(ErrorCode::internal, "proof line " + std::to_string(line + 1) + ": " + what);
}

} // namespace

std::optional<std::vector<RupLine>> unsat_proof(const Cnf& cnf, std::string_view trace,
                                                const StopRequest& stop) {
    RupDeriver deriver(cnf);
    DratTrace steps(trace);
    TraceStep step;
    Pause pause(stop);
    while (!deriver.refuted() && steps.next(step)) {
        if (pause.is_over()) return {};
        if (step.deletes)
            deriver.forget(step.literals);
        else
            deriver.derive(step.literals);
    }
    std::vector<RupLine> best = finished(deriver, cnf.clauses.size());
    while (true) {
        std::vector<RupLine> again = derived_again(cnf, best, stop);
        const std::size_t before = size_of(best);
        const std::size_t after = size_of(again);
        if (after < before) best = std::move(again);
        if (after + before / 16 >= before) return best;
    }
}

void require_valid_proof(const Cnf& cnf, const std::vector<RupLine>& lines) {
    if (lines.empty() || !lines.back().literals.empty())
        throw Error(ErrorCode::internal, "a proof that does not end in the empty clause");
    std::vector<const std::vector<int>*> clauses;
    for (const auto& clause : cnf.clauses) clauses.push_back(&clause);
    std::vector<signed char> value(2 * static_cast<std::size_t>(cnf.variables) + 1);
    const auto at = [&](int literal) -> signed char& {
        return value[static_cast<std::size_t>(std::ptrdiff_t{literal} + cnf.variables)];
    };
    for (std::size_t k = 0; k < lines.size(); ++k) {
        std::vector<int> assigned;
        const auto make_true = [&](int literal) {
            at(literal) = 1;
            at(-literal) = -1;
            assigned.push_back(literal);
        };
        for (const int literal : lines[k].literals) {
            if (literal == 0 || std::abs(literal) > cnf.variables) refuse(k, "no such literal");
            if (at(literal) == 0) make_true(-literal);
            if (at(literal) > 0) refuse(k, "a literal and its negative");
        }
        bool is_refuted = false;
        for (const int hint : lines[k].hints) {
            if (is_refuted) refuse(k, "a hint after the last");
            if (hint < 1 || static_cast<std::size_t>(hint) > clauses.size()) refuse(k, "no such clause");
            int left = 0;
            for (const int literal : *clauses[static_cast<std::size_t>(hint) - 1]) {
                if (at(literal) < 0) continue;
                if (at(literal) > 0 || left != 0) refuse(k, "a hint that is not a single literal");
                left = literal;
            }
            if (left != 0)
                make_true(left);
            else
                is_refuted = true;
        }
        if (!is_refuted) refuse(k, "the hints do not refute it");
        for (const int literal : assigned) at(literal) = at(-literal) = 0;
        clauses.push_back(&lines[k].literals);
    }
}

} // namespace kvproof
