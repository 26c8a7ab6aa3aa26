// kvproof-check: verifies certificates by GMP integers and rationals alone. docs/certificates.md says what it
// does.

#include "certificate.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

using namespace kvcheck;

std::optional<std::string> contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// What `read` returns; its complaint begins with the name.
template <class Read>
auto named(const std::string& name, const Read& read) {
    try {
        return read();
    } catch (const BadUsage& bad) {
        throw BadUsage{name + ": " + bad.message};
    }
}

int run(const std::vector<std::string>& arguments) {
    std::vector<std::string> files;
    std::optional<std::string> registry_path;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--registry" && i + 1 < arguments.size()) {
            registry_path = arguments[++i];
        } else if (arguments[i].starts_with('-')) {
            throw BadUsage{"usage: kvproof-check [--registry claims.tsv] FILE..."};
        } else {
            files.push_back(arguments[i]);
        }
    }
    if (files.empty()) throw BadUsage{"usage: kvproof-check [--registry claims.tsv] FILE..."};

    std::string text(registry_text());
    std::string audit_text(kvcheck::audit_text());
    std::string proofs_text(checked_proofs_text());
    std::string proofs_path = "checked.tsv";
    if (registry_path) {
        text = contents(*registry_path).value_or("");
        if (text.empty()) throw BadUsage{*registry_path + ": cannot be read"};
        const std::string folder = registry_path->substr(0, registry_path->rfind('/') + 1);
        audit_text = contents(folder + "audit/claims.tsv").value_or("");
        proofs_path = folder + "coq/checked.tsv";
        proofs_text = contents(proofs_path).value_or(""); // without it no proof counts as checked
    }
    Registry registry = named(registry_path.value_or("the registry"), [&] { return read_registry(text); });
    if (!audit_text.empty()) named("audit/claims.tsv", [&] { return add_to_registry(audit_text, registry); });
    const CheckedProofs proofs = named(proofs_path, [&] { return read_checked_proofs(proofs_text); });
    Verifier verifier(registry, proofs);
    bool all_valid = true;
    for (const std::string& file : files) {
        const Answer& answer = verifier.verify(file);
        std::cout << answer.line() << '\n' << std::flush;
        if (answer.kind == Answer::Kind::invalid) all_valid = false;
    }
    return all_valid ? 0 : 1;
}

} // namespace

int main(int count, char** values) {
    try {
        return run({values + 1, values + count});
    } catch (const BadUsage& bad) {
        std::cerr << "kvproof-check: " << bad.message << '\n';
        return 2;
    }
}
