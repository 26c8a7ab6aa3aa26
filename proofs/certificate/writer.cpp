#include "proofs/certificate/writer.hpp"

#include "lib/error.hpp"
#include "lib/record/sha256.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr Bits least_precision = 256;
constexpr Bits largest_precision = 4096;

/// The relations of a formula, each with the bounds around it, outermost first.
struct Placed {
    const Formula* relation;
    std::vector<Bound> bounds;
};

void collect(const Formula& formula, std::vector<Bound> bounds, std::vector<Placed>& out) {
    if (formula.kind == Formula::Kind::relation) out.push_back({&formula, bounds});
    bounds.insert(bounds.end(), formula.bounds.begin(), formula.bounds.end());
    for (const Formula& part : formula.parts) collect(part, bounds, out);
}

/// `at K` and the values of the variables, outermost first.
std::vector<std::string> refutation_records(const Formula& formula, const Refutation& refutation) {
    std::vector<Placed> relations;
    collect(formula, {}, relations);
    const auto at = std::ranges::find(relations, refutation.relation, &Placed::relation);
    if (at == relations.end()) throw Error(ErrorCode::internal, "a refuted relation is not in its formula");
    std::vector<std::string> out = {"at " + std::to_string(at - relations.begin() + 1)};
    for (const Bound& bound : at->bounds)
        out.push_back("value " + bound.name + " " + to_string(refutation.point.at(bound.name).lower));
    return out;
}

/// Enough for the checkers' fixed point to decide what the decision's floating point decided.
Bits precision_for(const Decision& decision) {
    const Bits needed = decision.checker_bits > 0 ? decision.checker_bits : 2 * decision.bits;
    Bits precision = least_precision;
    while (precision < needed && precision < largest_precision) precision *= 2;
    return precision;
}

void collect_named(const Formula& formula, std::vector<std::string>& names) {
    if (formula.kind == Formula::Kind::named) names.push_back(formula.name);
    for (const Formula& part : formula.parts) collect_named(part, names);
}

bool speaks_of_risks(const Expr& term) {
    return (term.op() == Op::function && term.name().starts_with("probe.")) ||
           std::ranges::any_of(term.args(), speaks_of_risks);
}

const std::string codebook_claim = "codebook";

/// `WORD T I X` for every `step`-th number of depth t.
void list_entries(const char* word, std::size_t t, const std::vector<Rational>& values, std::size_t step,
                  std::vector<std::string>& records) {
    for (std::size_t i = 0; i < values.size(); i += step)
        records.push_back(std::string(word) + " " + std::to_string(t) + " " + std::to_string(i / step) + " " +
                          to_string(values[i]));
}

} // namespace

Certificate sealed(const std::vector<std::string>& header, const std::vector<std::string>& records) {
    std::string text = "kvproof-cert 1\n";
    for (const auto* lines : {&header, &records})
        for (const std::string& line : *lines) text += line + "\n";
    const std::string hash = sha256(text);
    return {text + "end " + hash + "\n", hash};
}

std::vector<std::string> certificate_records(const Formula& formula, const Decision& decision) {
    if (decision.verdict == Verdict::undecided) return {"code " + std::string(to_string(decision.why))};
    std::vector<std::string> out = {"precision " + std::to_string(precision_for(decision))};
    if (decision.verdict == Verdict::refuted && formula.kind != Formula::Kind::printed) {
        const auto fails = refutation_records(formula, decision.refutation.value());
        out.insert(out.end(), fails.begin(), fails.end());
        return out;
    }
    out.insert(out.end(), decision.records.begin(), decision.records.end());
    return out;
}

bool is_sampled(const Formula& formula) {
    std::vector<std::string> named;
    collect_named(formula, named);
    return std::ranges::find(named, "reader") != named.end();
}

std::vector<std::string> needed_certificates(const Formula& formula, bool of_user_table) {
    std::vector<std::string> named;
    collect_named(formula, named);
    bool tree = std::ranges::find(named, "lloyd-symmetric") != named.end();
    bool optima = false;
    bool table = false;
    for (const std::string& name : quantities_of(formula)) {
        optima = optima || name.starts_with("lloydmax.");
        table = table || CertifiedQuantities::is_of_table(name);
        tree = tree || name.starts_with("lloyd.");
    }
    std::vector<std::string> out;
    if (tree || (table && !of_user_table)) out.emplace_back("readkv.lloyd.tree");
    if (optima) out.emplace_back("readkv.lloyd.optimal");
    if (table && of_user_table) out.emplace_back(codebook_claim);
    const bool risks = std::ranges::any_of(relations_of(formula), [](const Formula* relation) {
        return std::ranges::any_of(relation->terms, speaks_of_risks);
    });
    if (risks) out.emplace_back("readkv.c.risks");
    return out;
}

CertificateSet certificates_of(const std::vector<Result>& results, const Context& context) {
    CertificateSet out;
    const auto add = [&](const auto& self, const Result& result) -> void {
        if (out.contains(result.claim.id) || result.decision.why == Why::effort || !result.certifiable)
            return;
        for (const std::string& id : result.uses) {
            if (out.contains(id)) continue;
            if (id == codebook_claim) {
                out.emplace(id, codebook_certificate(context.quantities.table()));
                continue;
            }
            const auto at = std::ranges::find(results, id, [](const Result& r) { return r.claim.id; });
            self(self, at != results.end() ? *at : verify_claim(select_claims({id}).front(), context));
        }
        out.emplace(result.claim.id, write_certificate(result, out));
    };
    for (const Result& result : results) add(add, result);
    return out;
}

std::string certificate_file(std::string id) {
    std::ranges::replace(id, '/', '-');
    return id + ".cert";
}

Certificate codebook_certificate(const Codebook<float>& table) {
    const Codebook<Rational> exact = exact_codebook(table);
    std::vector<std::string> records = {"precision " + std::to_string(least_precision),
                                        "depth " + std::to_string(table.depth())};
    for (std::size_t t = 0; t < exact.centroids.size(); ++t) {
        list_entries("split", t, exact.boundaries[t], 2, records); // the others are those of the depth above
        list_entries("centroid", t, exact.centroids[t], 1, records);
    }
    return sealed(
        {"claim " + codebook_claim, "rule codebook", "scope file", "statement (codebook)", "verdict proved"},
        records);
}

Certificate write_certificate(const Result& result, const CertificateSet& used) {
    const Claim& claim = result.claim;
    std::vector<std::string> records;
    std::string id = claim.id;
    for (const std::string& name : result.uses) {
        records.push_back("use " + name + " " + used.at(name).sha256);
        if (name == codebook_claim) id += "(" + used.at(name).sha256 + ")"; // an instance of a template
    }
    std::ranges::copy(result.records, std::back_inserter(records));
    return sealed({"claim " + id, "rule " + claim.rule, "scope " + claim.scope, "statement " + claim.formula,
                   "verdict " + std::string(to_string(result.decision.verdict))},
                  records);
}

} // namespace kvproof
