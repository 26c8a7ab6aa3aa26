#include "app/subprocess.hpp"

#include "lib/error.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

extern char** environ;

namespace kvproof::app {
namespace {

[[noreturn]] void refuse(const std::string& program, int error) {
    throw Error(ErrorCode::file_not_readable, program + ": " + std::strerror(error));
}

/// The arguments of a program as C takes them; they live as long as the strings do.
std::vector<char*> for_c(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<char*> out = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) out.push_back(const_cast<char*>(argument.c_str()));
    out.push_back(nullptr);
    return out;
}

/// A file without a name. It is gone when the last program lets go of it.
class Scratch {
public:
    explicit Scratch(const std::string& program) : file_(std::tmpfile(), &std::fclose) {
        if (!file_) refuse(program, errno);
        fcntl(descriptor(), F_SETFD, FD_CLOEXEC);
    }
    [[nodiscard]] int descriptor() const { return fileno(file_.get()); }

    void write(const std::string& text, const std::string& program) {
        if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() ||
            std::fflush(file_.get()) != 0)
            refuse(program, errno);
        std::rewind(file_.get());
    }
    /// From the beginning: the program's writes have moved the common position.
    [[nodiscard]] std::string read() const {
        std::rewind(file_.get());
        std::string out;
        std::array<char, 65536> buffer{};
        while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file_.get()))
            out.append(buffer.data(), n);
        return out;
    }

private:
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

} // namespace

Ran run_program(const std::string& program, const std::vector<std::string>& arguments,
                const std::string& input, bool keep_errors) {
    Scratch in(program);
    const Scratch out(program);
    const Scratch err(program);
    in.write(input, program);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
    if (keep_errors) posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
    pid_t child = 0;
    const int failed =
        posix_spawnp(&child, program.c_str(), &actions, nullptr, for_c(program, arguments).data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) refuse(program, failed);
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(ended)) throw Error(ErrorCode::internal, program + " was killed by a signal");
    return {out.read(), err.read(), WEXITSTATUS(ended)};
}

void become_program(const std::string& program, const std::vector<std::string>& arguments) {
    execv(program.c_str(), for_c(program, arguments).data());
    refuse(program, errno);
}

} // namespace kvproof::app
