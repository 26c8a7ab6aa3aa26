#pragma once

#include <string>
#include <vector>

namespace kvproof::app {

/// What a program said and how it ended.
struct Ran {
    std::string out;
    std::string err; ///< only where it was asked for
    int status = 0;
};

/// Runs a program without a shell and waits for it. `program` is a path, or a name that is looked for along
/// PATH. Its standard input holds `input`, through a file without a name, so that neither side waits for the
/// other; its standard error is this program's unless `keep_errors` is set. Throws Error(file_not_readable)
/// where it cannot be started, Error(internal) where a signal ended it.
[[nodiscard]] Ran run_program(const std::string& program, const std::vector<std::string>& arguments,
                              const std::string& input = "", bool keep_errors = false);

/// Becomes the program: its answers, its exit status and a terminal's signals stay as they are.
[[noreturn]] void become_program(const std::string& program, const std::vector<std::string>& arguments);

} // namespace kvproof::app
