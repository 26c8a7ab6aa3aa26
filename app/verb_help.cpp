// kvproof help: this help, or a manual made from the commands themselves.

#include "app/manual.hpp"
#include "app/verb.hpp"

#include <array>
#include <memory>

namespace kvproof::app {
namespace {

struct HelpOptions {
    bool markdown = false;
    bool errors = false;
    bool man = false;
    bool completion = false;
};

std::string manual(const HelpOptions& options, const CLI::App& app) {
    if (options.errors) return errors_markdown();
    if (options.markdown) return cli_markdown(app);
    if (options.man) return man_page(app);
    if (options.completion) return bash_completion(app);
    return help_of(app, "kvproof");
}

} // namespace

void add_help(CLI::App& app, Status& /*status*/) {
    const auto options = std::make_shared<HelpOptions>();
    CLI::App* verb = app.add_subcommand("help", "Print this help, or a manual");
    const std::array flags = {
        verb->add_flag("--markdown", options->markdown, "The whole command line as Markdown (docs/cli.md)"),
        verb->add_flag("--errors-markdown", options->errors, "All error codes as Markdown (docs/errors.md)"),
        verb->add_flag("--man", options->man, "The manual page kvproof(1)"),
        verb->add_flag("--bash-completion", options->completion,
                       "A script that completes commands and options")};
    for (CLI::Option* one : flags)
        for (CLI::Option* other : flags)
            if (one != other) one->excludes(other);
    verb->footer("Examples: the manual page, and completion in this shell\n"
                 "  kvproof help --man\n"
                 "  kvproof help --bash-completion");
    verb->callback([options, &app] { print(manual(*options, app)); });
}

} // namespace kvproof::app
