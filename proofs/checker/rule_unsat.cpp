#include "probe_ball.hpp"
#include "rules.hpp"
#include "rup.hpp"

#include <algorithm>

namespace kvcheck {
namespace {

/// More sources than records or leaves, any two of which cannot share one.
void check_clique(Records& records, const std::vector<std::string_view>& fields, const ProbeFamily& family,
                  unsigned log_places, const mpq_class& value) {
    std::vector<std::size_t> members;
    for (std::size_t i = 1; i < fields.size(); ++i) {
        const std::optional<mpz_class> x = read_integer(fields[i]);
        if (!x || *x < 0 || *x >= family.sources || (!members.empty() && *x <= members.back())) records.bad();
        members.push_back(x->get_ui());
    }
    if (members.empty()) records.bad();
    if (members.size() <= std::size_t{1} << log_places) records.bad_witness();
    for (std::size_t i = 0; i < members.size(); ++i) {
        for (std::size_t j = i + 1; j < members.size(); ++j) {
            std::size_t y = 0;
            while (y < family.queries && !pair_loses(family, y, members[i], members[j], value)) ++y;
            if (y == family.queries) records.bad_witness();
        }
    }
}

/// `renaming X X ...`: every source once.
Renaming read_renaming(Records& records, std::size_t sources) {
    Renaming renaming;
    for (const std::string_view field : records.take_any("renaming")) {
        const std::optional<mpz_class> x = read_integer(field);
        if (!x || *x < 0 || *x >= sources) records.bad();
        renaming.push_back(x->get_ui());
    }
    Renaming members = renaming;
    std::sort(members.begin(), members.end());
    if (members.size() != sources || std::adjacent_find(members.begin(), members.end()) != members.end())
        records.bad();
    return renaming;
}

/// So many renamings that keep the conflicts, and what they allow to ask of the records.
void read_least(Records& records, mpz_class count, std::size_t sources, Encoding& encoding) {
    std::size_t left = std::size_t{1} << 20; // sets to rename
    std::vector<Renaming> renamings;
    for (; count > 0; --count) {
        renamings.push_back(read_renaming(records, sources));
        try {
            if (!encoding.keeps_lists(renamings.back(), left)) records.bad_witness();
        } catch (const TooLarge&) {
            throw Invalid{records.line(), "too_large"};
        }
    }
    encoding.require_least(renamings);
}

/// `counts`: of renamings, where least records are asked for, and of lines.
void check_unsat(Records& records, const std::vector<std::string_view>& counts, const ProbeFamily& family,
                 const Access& access, unsigned w, unsigned r, const mpq_class& value) {
    const std::optional<mpz_class> lines = read_integer(counts.back());
    const std::optional<mpz_class> renamings = read_integer(counts.front());
    if (!lines || *lines < 1 || !renamings || *renamings < 0) records.bad();
    if (std::min(w, r) == 0) records.bad_witness();
    std::optional<Encoding> encoding;
    try {
        encoding.emplace(family.sources, conflict_lists(family, access.sees_query, value), access, w, r);
    } catch (const TooLarge&) {
        throw Invalid{records.line(), "too_large"};
    }
    if (counts.size() > 1) read_least(records, *renamings, family.sources, *encoding);
    check_refutation(records, *encoding, *lines);
}

/// The records of one risk.
void check_one(Records& records, const ProbeFamily& family, const Access& access, unsigned w, unsigned r,
               const mpq_class& value) {
    const Protocol protocol = read_protocol(records, family, access, w, r);
    if (worst_loss(protocol, family) != value) records.bad_witness();
    const auto fields = records.take_any("lower");
    const unsigned depth = std::min(w, r);
    if (fields[0] == "zero" && fields.size() == 1) {
        if (value != 0) records.bad_witness();
    } else if (fields[0] == "unread" && fields.size() == 1) {
        if (depth != 0) records.bad_witness(); // all sources are in the one leaf of the protocol
    } else if (fields[0] == "clique") {
        check_clique(records, fields, family, access.sees_query ? w : depth, value);
    } else if (fields[0] == "unsat" && fields.size() == 2) {
        check_unsat(records, {fields[1]}, family, access, w, r, value);
    } else if (fields[0] == "least" && fields.size() == 3) {
        check_unsat(records, {fields[1], fields[2]}, family, access, w, r, value);
    } else {
        records.bad();
    }
}

} // namespace

void check_probe_risk(Check& check, const ProbePart& part) {
    const ProbeFamily family = read_family(part.family, check.records);
    check_one(check.records, family, *read_access(part.access), part.w, part.r, part.value);
}

void check_probe_table(Check& check, const ProbePart& part) {
    Records& records = check.records;
    const ProbeFamily family = read_family(part.family, records);
    if (!check.risks) check.risks = std::make_shared<ProbeRisks>();
    for (unsigned w = 0; w <= part.w; ++w) {
        for (unsigned r = 0; r <= part.r; ++r) {
            std::vector<std::string> classes = {"oblivious", "query-independent"};
            for (unsigned j = 1; j <= r + 1; ++j) classes.push_back("staged:" + std::to_string(j));
            classes.emplace_back("branching");
            for (const std::string& access : classes) {
                const auto fields = records.take("risk", 4);
                const std::optional<mpq_class> value = read_rational(fields[3]);
                if (fields[0] != std::to_string(w) || fields[1] != std::to_string(r) || fields[2] != access ||
                    !value || *value < 0)
                    records.bad();
                check_one(records, family, *read_access(access), w, r, *value);
                (*check.risks)[{part.family.text + "." + access, w, r}] = *value;
            }
        }
    }
}

} // namespace kvcheck
