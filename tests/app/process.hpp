#pragma once
// The built executable as a user runs it: arguments in, stdout, stderr and exit status out.

#include "tests/folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kvproof::testing_support {

struct Outcome {
    std::string out;
    std::string err;
    int status = -1; ///< the exit status; 128 + the signal for a process that was killed
};

inline std::string read_all(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
}

/// Runs `kvproof` with these arguments in `folder`, with these variables added to the environment.
inline Outcome run(const std::vector<std::string>& arguments, const Folder& folder,
                   const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    const std::string program = std::string(KVPROOF_BINARY_DIR) + "/kvproof";
    const std::string out = folder / ".stdout";
    const std::string err = folder / ".stderr";
    const pid_t child = fork();
    if (child == 0) {
        const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out_file, STDOUT_FILENO);
        dup2(err_file, STDERR_FILENO);
        if (chdir(folder.path().c_str()) != 0) _exit(126);
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        std::vector<char*> argv = {const_cast<char*>(program.c_str())};
        for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        execv(program.c_str(), argv.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Outcome outcome{read_all(out), read_all(err),
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
    std::filesystem::remove(out);
    std::filesystem::remove(err);
    return outcome;
}

} // namespace kvproof::testing_support
