#include "proofs/certificate/probe_records.hpp"

#include "lib/error.hpp"
#include "sim/probe/family_file.hpp"

#include <charconv>

namespace kvproof {
namespace {

std::string hex(std::uint32_t value) {
    std::string digits(8, '0');
    const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
    digits.resize(static_cast<std::size_t>(end - digits.data()));
    return "0x" + digits;
}

void append_proof(const std::vector<RupLine>& proof, std::vector<std::string>& records) {
    for (const RupLine& line : proof) {
        records.emplace_back("rup");
        for (const int literal : line.literals) records.back() += " " + std::to_string(literal);
        records.back() += " 0";
        for (const int hint : line.hints) records.back() += " " + std::to_string(hint);
    }
}

} // namespace

void append_family(const Family& family, std::vector<std::string>& records) {
    if (!family.name.starts_with("file:")) return;
    const std::string text = table_text(family);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        records.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

void append_protocol(const Protocol& protocol, std::vector<std::string>& records) {
    for (const std::uint32_t record : protocol.records) records.push_back("record " + hex(record));
    for (const ProbeTree& tree : protocol.trees) {
        records.emplace_back("tree");
        for (const int address : tree.addresses)
            records.back() += address == ProbeTree::stop ? " -" : " " + std::to_string(address);
    }
}

void append_lower(const LowerWitness& lower, std::vector<std::string>& records) {
    switch (lower.kind) {
    case LowerKind::zero: records.emplace_back("lower zero"); return;
    case LowerKind::unread: records.emplace_back("lower unread"); return;
    case LowerKind::clique:
        records.emplace_back("lower clique");
        for (const int x : lower.clique) records.back() += " " + std::to_string(x);
        return;
    case LowerKind::unsat:
        records.push_back("lower unsat " + std::to_string(lower.proof.size()));
        append_proof(lower.proof, records);
        return;
    case LowerKind::least:
        records.push_back("lower least " + std::to_string(lower.renamings.size()) + " " +
                          std::to_string(lower.proof.size()));
        for (const Renaming& renaming : lower.renamings) {
            records.emplace_back("renaming");
            for (const int x : renaming) records.back() += " " + std::to_string(x);
        }
        append_proof(lower.proof, records);
        return;
    case LowerKind::exhaustive: break;
    }
    throw Error(ErrorCode::internal, "a search through all encoders has no records");
}

void append_game(const Family& family, const Bracket& bracket, std::vector<std::string>& records) {
    const auto queries = static_cast<std::size_t>(family.queries);
    const std::size_t at = records.size();
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < bracket.prior.weights.size(); ++i) {
        if (bracket.prior.weights[i] == 0) continue;
        records.push_back("pair " + std::to_string(i / queries) + " " + std::to_string(i % queries) + " " +
                          bracket.prior.weights[i].str());
        ++pairs;
    }
    records.insert(records.begin() + static_cast<std::ptrdiff_t>(at), "prior " + std::to_string(pairs));
    records.push_back("mixture " + std::to_string(bracket.mixture.size()));
    for (const WeightedProtocol& outcome : bracket.mixture) {
        records.push_back("weight " + outcome.weight.str());
        append_protocol(outcome.protocol, records);
        const std::size_t answers = outcome.answers.size() / queries; // of one query, for all leaves
        for (std::size_t i = 0; i < outcome.answers.size(); ++i) {
            if (i % answers == 0) records.emplace_back("answers");
            records.back() += " " + to_string(outcome.answers[i]);
        }
    }
}

} // namespace kvproof
