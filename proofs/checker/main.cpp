// kvproof-check: verifies certificates by GMP integers and rationals alone. docs/certificates.md says what it
// does.

#include "certificate.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

using namespace kvcheck;

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
    if (registry_path) {
        std::ifstream file(*registry_path, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(file), {});
        if (!file || text.empty()) throw BadUsage{*registry_path + ": cannot be read"};
    }
    Registry registry;
    try {
        registry = read_registry(text);
    } catch (const BadUsage& bad) {
        throw BadUsage{registry_path.value_or("the registry") + ": " + bad.message};
    }
    Verifier verifier(registry);
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
