#pragma once

#include <CLI/CLI.hpp>

#include <string>

// The manuals, made from the commands themselves so that they cannot differ from them.

namespace kvproof::app {

/// The help of a command as `kvproof PATH --help` prints it.
[[nodiscard]] std::string help_of(const CLI::App& command, const std::string& path);

/// The whole command line as Markdown: docs/cli.md.
[[nodiscard]] std::string cli_markdown(const CLI::App& app);
/// All error codes as Markdown: docs/errors.md.
[[nodiscard]] std::string errors_markdown();
/// The manual page kvproof(1), in roff.
[[nodiscard]] std::string man_page(const CLI::App& app);
/// A script for bash that completes commands and options.
[[nodiscard]] std::string bash_completion(const CLI::App& app);

} // namespace kvproof::app
