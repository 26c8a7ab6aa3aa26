// kvproof help: the manual pages in docs/, made from the commands themselves so that they cannot differ.

#include "app/verb.hpp"
#include "lib/error.hpp"

#include <fmt/format.h>

#include <memory>

namespace kvproof::app {
namespace {

struct Options {
    bool markdown = false;
    bool errors = false;
};

/// CLI::App::help() speaks of the subcommand that was parsed, which here is `help` itself.
std::string help_of(const CLI::App& command, const std::string& path) {
    return command.get_formatter()->make_help(&command, path, CLI::AppFormatMode::Normal);
}

void append_command(const CLI::App& command, const std::string& path, std::string& out) {
    out += fmt::format("\n## {}\n\n```\n{}```\n", path, help_of(command, path));
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
        append_command(*sub, path + " " + sub->get_name(), out);
}

} // namespace

std::string cli_markdown(const CLI::App& app) {
    std::string out = "# The command line\n\nMade by `kvproof help --markdown`.\n";
    append_command(app, "kvproof", out);
    return out;
}

std::string errors_markdown() {
    std::string out =
        "# Errors\n\nMade by `kvproof help --errors-markdown`. An error is one line on stderr that names "
        "the input, what was\nfound and what was expected; nothing is written.\n\n"
        "| code | exit status | meaning |\n|---|---|---|\n";
    for (const ErrorEntry& entry : error_entries())
        out += fmt::format("| `{}` | {} | {} |\n", entry.name, entry.exit_status, entry.sentence);
    return out;
}

void add_help(CLI::App& app, Status& /*status*/) {
    const auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("help", "Print this help, or the manual as Markdown");
    verb->add_flag("--markdown", options->markdown, "The whole command line as Markdown (docs/cli.md)");
    verb->add_flag("--errors-markdown", options->errors, "All error codes as Markdown (docs/errors.md)");
    verb->footer("Example: the manual that stands in docs/cli.md\n  kvproof help --markdown");
    verb->callback([options, &app] {
        if (options->errors)
            print(errors_markdown());
        else
            print(options->markdown ? cli_markdown(app) : help_of(app, "kvproof"));
    });
}

} // namespace kvproof::app
