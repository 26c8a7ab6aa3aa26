// kvproof check: hands the files to kvproof-check, the checker that shares nothing with this program but the
// format.

#include "app/subprocess.hpp"
#include "app/verb.hpp"
#include "lib/error.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <sstream>

namespace kvproof::app {
namespace {

struct CheckOptions {
    CommonOptions common;
    std::vector<std::string> files;
};

/// The checker lies beside this executable.
std::string checker_path() {
    std::error_code failed;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed) throw Error(ErrorCode::internal, "/proc/self/exe: " + failed.message());
    return (self.parent_path() / "kvproof-check").string();
}

std::string json_of(const std::string& answers, const std::vector<std::string>& files) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    std::istringstream lines(answers);
    std::string line;
    for (const std::string& file : files) {
        if (!std::getline(lines, line))
            throw Error(ErrorCode::internal, "kvproof-check: an answer is missing");
        list.push_back({{"file", file}, {"answer", line}, {"valid", !line.starts_with("s INVALID ")}});
    }
    return nlohmann::ordered_json{{"format", 1}, {"answers", list}}.dump(2) + "\n";
}

Status check(const CheckOptions& options) {
    const std::string program = checker_path();
    if (options.common.format == "text") become_program(program, options.files);
    const Ran ran = run_program(program, options.files);
    print(json_of(ran.out, options.files));
    return ran.status;
}

} // namespace

void add_check(CLI::App& app, Status& status) {
    const auto options = std::make_shared<CheckOptions>();
    CLI::App* verb =
        app.add_subcommand("check", "Re-check certificates with code that shares nothing with the prover");
    verb->add_option("FILE", options->files, "Certificates, e.g. out/certificates/*.cert")->required();
    add_common_options(*verb, options->common, {"text", "json"});
    verb->footer(
        "One line a file: `s VERIFIED PROVED id`, `s VERIFIED REFUTED id`, `s SUPPORTED id cases`,\n"
        "`s EXTERNAL id coq THEOREM sha256` (the rest of the statement is a Coq proof's, see ./run proofs),\n"
        "`s UNDECIDED id code` or `s INVALID id line code`; exit status 1 if any is INVALID.\n"
        "The second checker gives the same lines: python3 proofs/checker/check.py FILE...\n"
        "Example, after `kvproof verify`:\n"
        "  kvproof check out/certificates/readkv.thm2.lower.cert");
    verb->callback([options, &status] { status = check(*options); });
}

} // namespace kvproof::app
