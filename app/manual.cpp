#include "app/manual.hpp"

#include "lib/error.hpp"
#include "lib/version.hpp"

#include <fmt/format.h>

#include <functional>

namespace kvproof::app {
namespace {

/// The command and all that stand below it, each with its path: "kvproof table lloyd".
void each_command(const CLI::App& command, const std::string& path,
                  const std::function<void(const CLI::App&, const std::string&)>& visit) {
    visit(command, path);
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
        each_command(*sub, path + " " + sub->get_name(), visit);
}

/// Text as it is, for roff: backslashes and hyphens stay themselves, no line begins a request.
std::string roff(const std::string& text) {
    std::string out;
    bool line_begins = true;
    for (const char c : text) {
        if (line_begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        line_begins = c == '\n';
    }
    return out;
}

/// The words that may follow a command: the commands below it and its options.
std::string words_after(const CLI::App& command) {
    std::string out;
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
        out += sub->get_name() + " ";
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) out += "--" + name + " ";
    return out;
}

} // namespace

/// CLI::App::help() speaks of the subcommand that was parsed, which here is `help` itself.
std::string help_of(const CLI::App& command, const std::string& path) {
    return command.get_formatter()->make_help(&command, path, CLI::AppFormatMode::Normal);
}

std::string cli_markdown(const CLI::App& app) {
    std::string out = "# The command line\n\nMade by `kvproof help --markdown`.\n";
    each_command(app, "kvproof", [&out](const CLI::App& command, const std::string& path) {
        out += fmt::format("\n## {}\n\n```\n{}```\n", path, help_of(command, path));
    });
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

std::string man_page(const CLI::App& app) {
    std::string out = fmt::format(".TH KVPROOF 1 \"\" \"kvproof {}\"\n.SH NAME\nkvproof \\- {}\n", version(),
                                  roff("decides, certifies and re-checks claims about KV-cache compression"));
    each_command(app, "kvproof", [&out](const CLI::App& command, const std::string& path) {
        out += fmt::format(".SH \"{}\"\n.nf\n{}.fi\n", roff(path), roff(help_of(command, path)));
    });
    return out;
}

std::string bash_completion(const CLI::App& app) {
    // The longest known beginning of the words before the cursor says which command is meant.
    std::string out = "# Completion of kvproof's commands and options for bash.\n_kvproof() {\n"
                      "    local path=kvproof word words=\n"
                      "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                      "        [[ $word == -* ]] || path+=\" $word\"\n    done\n"
                      "    while [[ -z $words ]]; do\n        case $path in\n";
    each_command(app, "kvproof", [&out](const CLI::App& command, const std::string& path) {
        out += fmt::format("        '{}') words='{}' ;;\n", path, words_after(command));
    });
    out += "        *) path=${path% *} ;;\n        esac\n    done\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
           "}\ncomplete -o default -F _kvproof kvproof\n";
    return out;
}

} // namespace kvproof::app
