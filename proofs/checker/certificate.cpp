#include "certificate.hpp"

#include "sha256.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace kvcheck {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;

std::optional<std::string> read_file(const std::string& path) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) return std::nullopt;
    std::string text;
    std::vector<char> buffer(1 << 16);
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
        text.append(buffer.data(), n);
        if (text.size() > most_bytes) return std::nullopt;
    }
    if (std::ferror(file.get()) != 0) return std::nullopt;
    return text;
}

bool is_hash(std::string_view text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_printable(char c) {
    return c >= ' ' && c <= '~';
}

/// What follows `claim ` on an ended line 2, if it can stand in an answer.
std::string id_of(std::string_view text) {
    const std::size_t first = text.find('\n');
    if (first == std::string_view::npos) return "-";
    std::string_view line = text.substr(first + 1);
    const std::size_t end = line.find('\n');
    if (end == std::string_view::npos || !line.starts_with("claim ")) return "-";
    line = line.substr(6, end - 6);
    const bool plain =
        std::all_of(line.begin(), line.end(), [](char c) { return is_printable(c) && c != ' '; });
    return plain && !line.empty() ? std::string(line) : "-";
}

/// Rows 2 to 4 of the table of checks: what the file is at all. Returns its hash.
std::string check_frame(std::string_view text) {
    constexpr std::string_view magic = "kvproof-cert 1";
    if (text.substr(0, text.find('\n')) != magic) throw Invalid{1, "not_a_certificate"};
    const bool ended = text.ends_with('\n');
    const auto newlines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    const std::size_t last = newlines + (ended ? 0 : 1);
    if (!ended) throw Invalid{last, "truncated"};
    const std::string_view lines = text.substr(0, text.size() - 1);
    const std::size_t body =
        lines.rfind('\n') + 1; // 0 where there is one line only, which is not the end line
    const std::string_view end = lines.substr(body);
    if (!end.starts_with("end ") || !is_hash(end.substr(4))) throw Invalid{last, "truncated"};
    if (sha256(text.substr(0, body)) != end.substr(4)) throw Invalid{last, "bad_hash"};
    return std::string(end.substr(4));
}

constexpr std::array<std::string_view, 5> header = {"claim ", "rule ", "scope ", "statement ", "verdict "};

/// Row 5: the first line that is not as it must be, whichever of the two it is.
std::array<std::string_view, 5> read_header(std::string_view text, Records& records) {
    std::array<std::string_view, 5> fields;
    const auto bad =
        std::find_if(text.begin(), text.end(), [](char c) { return !is_printable(c) && c != '\n'; });
    const auto bad_line = static_cast<std::size_t>(std::count(text.begin(), bad, '\n')) + 1;
    (void)records.next_line();
    for (std::size_t i = 0; i < header.size(); ++i) {
        const std::string_view line = records.next_line();
        if (!line.starts_with(header[i]) || bad_line == records.line()) records.bad();
        fields[i] = line.substr(header[i].size());
    }
    if (bad != text.end()) throw Invalid{bad_line, "bad_record"};
    return fields;
}

void check_part(Check& check, const Formula& part) {
    switch (part.kind) {
    case Formula::Kind::relation: return check_relation(check, part);
    case Formula::Kind::real_forall: return check_cover(check, part);
    case Formula::Kind::integer_forall: return check_enumeration(check, part);
    case Formula::Kind::tree: return check_tree(check, part);
    case Formula::Kind::symmetric: return check_symmetry(check, part);
    case Formula::Kind::optimum: return check_optimum(check, part);
    case Formula::Kind::codebook: return check_codebook(check);
    case Formula::Kind::probe_risk: return check_probe_risk(check, *part.probe);
    case Formula::Kind::probe_table: return check_probe_table(check, *part.probe);
    case Formula::Kind::probe_game: return check_probe_game(check, *part.probe);
    case Formula::Kind::conjunction:
    case Formula::Kind::part:
        for (const Formula& inner : part.parts) check_part(check, inner);
        return;
    case Formula::Kind::printed:
    case Formula::Kind::pending:
    case Formula::Kind::reader: check.not_decided(); // do not get here
    }
}

constexpr const char* tree_id = "readkv.lloyd.tree";
constexpr const char* optimum_id = "readkv.lloyd.optimal";
constexpr const char* codebook_id = "codebook";
constexpr const char* risks_id = "readkv.c.risks";

} // namespace

std::string Answer::line() const {
    switch (kind) {
    case Kind::proved: return "s VERIFIED PROVED " + id;
    case Kind::refuted: return "s VERIFIED REFUTED " + id;
    case Kind::supported: return "s SUPPORTED " + id + " " + cases.get_str();
    case Kind::undecided: return "s UNDECIDED " + id + " " + code;
    case Kind::external: return "s EXTERNAL " + id + " coq " + proof;
    case Kind::invalid: break;
    }
    return "s INVALID " + id + " " + std::to_string(why.line) + " " + why.code;
}

Verifier::Verifier(const Registry& registry, const CheckedProofs& proofs)
    : registry_(registry),
      proofs_(proofs), codebook_{codebook_id, "file", "(codebook)", "", read_statement("(codebook)")} {}

std::pair<const Claim*, std::string_view> Verifier::row_of(std::string_view id) {
    if (id == codebook_id) return {&codebook_, {}};
    if (const Claim* claim = probe_claim(id)) return {claim, {}};
    std::string_view table;
    if (const std::size_t open = id.find('('); open != std::string_view::npos && id.ends_with(')')) {
        table = id.substr(open + 1, id.size() - open - 2);
        id = id.substr(0, open);
        if (!is_hash(table)) return {nullptr, {}};
    }
    const auto found = registry_.find(id);
    if (found == registry_.end() || (!table.empty() && !found->second.statement.needs_table))
        return {nullptr, {}};
    return {&found->second, table};
}

const Claim* Verifier::probe_claim(std::string_view id) {
    const bool is_risk = id.starts_with("probe.risk(");
    if ((!is_risk && !id.starts_with("probe.game(")) || !id.ends_with(')')) return nullptr;
    const std::string_view parameters = id.substr(11, id.size() - 12);
    if (parameters.find_first_of(" ()") != std::string_view::npos) return nullptr;
    std::string formula = is_risk ? "(probe-risk " : "(probe-game ";
    for (const char c : parameters) {
        if (c == ';' && formula.back() == ' ') return nullptr;
        formula += c == ';' ? ' ' : c;
    }
    if (formula.back() == ' ') return nullptr;
    formula += ')';
    if (const auto known = outside_.find(id); known != outside_.end()) return &known->second;
    try {
        const Claim claim{is_risk ? "unsat" : "game", "exact", formula, "", read_statement(formula)};
        return &outside_.emplace(id, claim).first->second;
    } catch (const BadUsage&) {
        return nullptr;
    }
}

const Answer& Verifier::verify(const std::string& path) {
    const auto [known, is_new] =
        answers_.try_emplace(path); // invalid until verified: a file cannot use itself
    Answer& answer = known->second;
    if (!is_new) return answer;
    const std::optional<std::string> text = read_file(path);
    if (!text) return answer;
    answer.id = id_of(*text);
    try {
        verify_text(path, *text, answer);
    } catch (const Invalid& why) {
        answer.kind = Answer::Kind::invalid;
        answer.why = why;
    }
    return answer;
}

void Verifier::verify_text(const std::string& path, std::string_view text, Answer& answer) {
    answer.hash = check_frame(text);
    Records records(text);
    const auto [id, rule, scope, formula, verdict] = read_header(text, records);
    const auto [row, table_hash] = row_of(id);
    if (row == nullptr) throw Invalid{2, "unknown_claim"};
    const Claim& claim = *row;
    if (rule != claim.rule) throw Invalid{3, "rule_differs"};
    if (scope != claim.scope) throw Invalid{4, "scope_differs"};
    if (formula != claim.formula) throw Invalid{5, "statement_differs"};
    if (verdict != "proved" && verdict != "refuted" && verdict != "supported" && verdict != "undecided") {
        throw Invalid{6, "bad_record"};
    }
    const Statement& statement = claim.statement;
    const bool is_part = statement.formula.kind == Formula::Kind::part;
    // A part decides no claim; with a proof of the whole it does. About a user's table no proof speaks.
    const bool is_external = is_part && verdict == "proved" && !claim.proof.empty() && table_hash.empty();
    const bool is_printed = statement.formula.kind == Formula::Kind::printed; // may hold for some values
    if ((verdict == (is_part ? "proved" : "supported") && !is_external && !is_printed) ||
        (statement.pending && verdict != "undecided") || statement.sampled) {
        throw Invalid{6, "verdict_differs"};
    }
    std::shared_ptr<LloydTree> tree;
    std::shared_ptr<const LloydOptimum> optimum;
    std::shared_ptr<Table> table;
    const bool needs_table = statement.needs_table && !table_hash.empty();
    if (statement.needs_tree || (statement.needs_table && !needs_table))
        tree = used(path, records, tree_id).tree;
    if (statement.needs_optimum) optimum = used(path, records, optimum_id).optimum;
    if (needs_table) {
        const Answer& codebook = used(path, records, codebook_id);
        if (codebook.hash != table_hash) throw Invalid{records.line(), "bad_use"};
        table = codebook.table;
    }
    std::shared_ptr<const ProbeRisks> risks;
    if (statement.needs_risks) risks = used(path, records, risks_id).risks;
    if (records.peek().starts_with("use ")) throw Invalid{records.line() + 1, "bad_use"};
    verify_records(statement, records, verdict, answer, Quantities(tree, optimum, table, risks));
    if (is_external) {
        answer.proof = proof_of(claim, records);
        answer.kind = Answer::Kind::external;
    }
    records.finish();
}

std::string Verifier::proof_of(const Claim& claim, Records& records) const {
    const std::vector<std::string_view> fields = records.take("coq", 2);
    std::string proof = std::string(fields[0]) + " " + std::string(fields[1]);
    if (fields[0] != claim.proof || !proofs_.contains(proof)) throw Invalid{records.line(), "bad_proof"};
    return proof;
}

const Answer& Verifier::used(const std::string& path, Records& records, const char* id) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    const std::string_view line = records.next_line();
    const std::size_t at = records.line();
    const std::string start = std::string("use ") + id + " ";
    if (!line.starts_with(start)) throw Invalid{at, "bad_use"};
    const Answer& answer = verify(folder + id + ".cert");
    const bool proves = answer.kind == Answer::Kind::proved && answer.id == id;
    if (!proves || answer.hash != line.substr(start.size())) throw Invalid{at, "bad_use"};
    return answer;
}

void Verifier::verify_records(const Statement& statement, Records& records, std::string_view verdict,
                              Answer& answer, const Quantities& quantities) {
    if (verdict == "undecided") {
        constexpr std::array<std::string_view, 7> codes = {"precision_cap", "case_budget",   "node_budget",
                                                           "missing_part",  "missing_input", "not_shown",
                                                           "effort"};
        answer.code = records.take("code", 1)[0];
        if (std::find(codes.begin(), codes.end(), answer.code) == codes.end()) records.bad();
        answer.kind = Answer::Kind::undecided;
        return;
    }
    const std::string_view written = records.take("precision", 1)[0];
    constexpr std::array<unsigned, 6> precisions = {128, 256, 512, 1024, 2048, 4096};
    const auto precision = std::find_if(precisions.begin(), precisions.end(),
                                        [written](unsigned p) { return written == std::to_string(p); });
    if (precision == precisions.end()) records.bad();
    Check check{statement, records, quantities, *precision, records.line()};
    if (statement.formula.kind == Formula::Kind::printed) {
        check_printed(check, statement.formula, verdict);
    } else if (verdict == "refuted") {
        check_counterexample(check);
    } else {
        check_part(check, statement.formula);
    }
    answer.cases = check.cases;
    answer.tree = check.tree;
    answer.optimum = check.optimum;
    answer.table = check.table;
    answer.risks = check.risks;
    answer.kind = verdict == "refuted"     ? Answer::Kind::refuted
                  : verdict == "supported" ? Answer::Kind::supported
                                           : Answer::Kind::proved;
}

} // namespace kvcheck
