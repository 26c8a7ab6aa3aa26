// kvproof check: hands the files to kvproof-check, the checker that shares nothing with this program but the
// format.

#include "app/verb.hpp"
#include "lib/error.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace kvproof::app {
namespace {

struct Options {
    std::vector<std::string> files;
};

/// The checker lies beside this executable.
std::string checker_path() {
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) throw Error(ErrorCode::internal, "/proc/self/exe: " + failed.message());
    return (self.parent_path() / "kvproof-check").string();
}

int run(const std::string& program, const std::vector<std::string>& files) {
    std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
    for (const std::string& file : files) arguments.push_back(const_cast<char*>(file.c_str()));
    arguments.push_back(nullptr);
    // Becoming the checker keeps its answers, its exit status and a terminal's signals as they are.
    execv(program.c_str(), arguments.data());
    throw Error(ErrorCode::file_not_readable, program + ": " + std::strerror(errno));
}

} // namespace

void add_check(CLI::App& app, Status& status) {
    const auto options = std::make_shared<Options>();
    CLI::App* verb =
        app.add_subcommand("check", "Re-check certificates with code that shares nothing with the prover");
    verb->add_option("FILE", options->files, "Certificates, e.g. out/certificates/*.cert")->required();
    verb->footer("One line a file: `s VERIFIED PROVED id`, `s VERIFIED REFUTED id`, `s SUPPORTED id cases`,\n"
                 "`s UNDECIDED id code` or `s INVALID id line code`; exit status 1 if any is INVALID.\n"
                 "The second checker gives the same lines: python3 proofs/checker/check.py FILE...\n"
                 "Example, after `kvproof verify`:\n"
                 "  kvproof check out/certificates/readkv.thm2.lower.cert");
    verb->callback([options, &status] { status = run(checker_path(), options->files); });
}

} // namespace kvproof::app
