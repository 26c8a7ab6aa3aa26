// kvproof check: hands the files to kvproof-check, the checker that shares nothing with this program but the
// format.

#include "app/verb.hpp"
#include "lib/error.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

extern char** environ;

namespace kvproof::app {
namespace {

struct Options {
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

[[noreturn]] void refuse(const std::string& program, int error) {
    throw Error(ErrorCode::file_not_readable, program + ": " + std::strerror(error));
}

/// The arguments of a program as C takes them; they live as long as the strings do.
std::vector<char*> arguments_of(const std::string& program, const std::vector<std::string>& files) {
    std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
    for (const std::string& file : files) arguments.push_back(const_cast<char*>(file.c_str()));
    arguments.push_back(nullptr);
    return arguments;
}

/// Becoming the checker keeps its answers, its exit status and a terminal's signals as they are.
[[noreturn]] void become(const std::string& program, const std::vector<std::string>& files) {
    execv(program.c_str(), arguments_of(program, files).data());
    refuse(program, errno);
}

struct Ran {
    std::string out;
    Status status = 0;
};

Ran capture(const std::string& program, const std::vector<std::string>& files) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse(program, errno);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, program.c_str(), &actions, nullptr, arguments_of(program, files).data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    Ran ran;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; failed == 0 && (n = read(ends[0], buffer.data(), buffer.size())) != 0;) {
        if (n > 0) ran.out.append(buffer.data(), static_cast<std::size_t>(n));
        if (n < 0 && errno != EINTR) break;
    }
    close(ends[0]);
    if (failed != 0) refuse(program, failed);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(ended)) throw Error(ErrorCode::internal, program + " was killed by a signal");
    ran.status = WEXITSTATUS(ended);
    return ran;
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

Status check(const Options& options) {
    const std::string program = checker_path();
    if (options.common.format == "text") become(program, options.files);
    const Ran ran = capture(program, options.files);
    print(json_of(ran.out, options.files));
    return ran.status;
}

} // namespace

void add_check(CLI::App& app, Status& status) {
    const auto options = std::make_shared<Options>();
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
