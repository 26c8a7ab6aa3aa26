#include "rup.hpp"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace kvcheck {
namespace {

struct Line {
    Clause literals;
    std::vector<long> hints;
};

/// A number other than 0, of at most this magnitude.
long read_number(Records& records, std::string_view field, long least, long most) {
    const std::optional<mpz_class> n = read_integer(field);
    if (!n || *n == 0 || *n < least || *n > most) records.bad();
    return n->get_si();
}

Line read_line(Records& records, long variables, long clauses) {
    Line line;
    bool in_hints = false;
    for (const std::string_view field : records.take_any("rup")) {
        if (!in_hints && field == "0")
            in_hints = true;
        else if (in_hints)
            line.hints.push_back(read_number(records, field, 1, clauses));
        else
            line.literals.push_back(read_number(records, field, -variables, variables));
    }
    if (line.hints.empty()) records.bad();
    std::vector<long> used;
    for (const long literal : line.literals) used.push_back(std::labs(literal));
    std::sort(used.begin(), used.end());
    if (std::adjacent_find(used.begin(), used.end()) != used.end()) records.bad();
    return line;
}

} // namespace

void check_refutation(Records& records, const Encoding& encoding, const mpz_class& lines) {
    std::vector<Clause> derived;
    for (mpz_class left = lines; left > 0; --left) {
        const long known = encoding.clauses() + static_cast<long>(derived.size());
        Line line = read_line(records, encoding.variables(), known);
        std::unordered_map<long, bool> value; // of variables
        for (const long literal : line.literals) value[std::labs(literal)] = literal < 0;
        for (std::size_t i = 0; i < line.hints.size(); ++i) {
            const long hint = line.hints[i];
            const Clause clause = hint <= encoding.clauses()
                                      ? encoding.clause(hint)
                                      : derived[static_cast<std::size_t>(hint - encoding.clauses() - 1)];
            std::size_t open = 0;
            long unit = 0;
            for (const long literal : clause) {
                const auto known_value = value.find(std::labs(literal));
                if (known_value != value.end() && known_value->second != (literal > 0)) continue;
                ++open;
                unit = literal;
            }
            const bool is_last = i + 1 == line.hints.size();
            if (open != (is_last ? 0U : 1U)) records.bad_witness();
            if (!is_last) value[std::labs(unit)] = unit > 0;
        }
        derived.push_back(std::move(line.literals));
    }
    if (!derived.back().empty()) records.bad_witness();
}

} // namespace kvcheck
