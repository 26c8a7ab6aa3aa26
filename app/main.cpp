#include "app/ranks.hpp"
#include "app/verb.hpp"
#include "lib/error.hpp"
#include "lib/version.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

namespace {

constexpr int bad_usage = 2;
constexpr int internal_error = 3;

/// Ranks that run one command together fail together: one of them says why.
void print_error(const std::string& line) {
    if (!kvproof::app::is_first_rank()) return;
    std::fprintf(stderr, "kvproof: %s\n", line.c_str());
}

/// CLI11 misses a subcommand before it notices what stands in its place.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
    std::string what = error.what();
    if (what.find("subcommand is required") == std::string::npos) return what;
    const std::vector<std::string> extras = app.remaining(true);
    const std::string found = extras.empty() ? "found none" : "found \"" + extras.front() + "\"";
    return what + ", " + found + "; `kvproof --help` lists them";
}

/// The one place where exceptions become an exit status and one line on stderr.
int run(int argc, char** argv) {
    int status = 0;
    CLI::App app{"kvproof verifies, simulates and certifies the theory of KV-cache compression.", "kvproof"};
    app.set_version_flag("--version", "kvproof " + std::string(kvproof::version()));
    app.require_subcommand(1);
    app.footer("`kvproof COMMAND --help` explains a command and shows an example.\n"
               "Exit status: 0 all as recorded; 1 a verdict differs from the record; 2 bad input or usage; 3 "
               "internal\n"
               "error; 4 device absent; 130 interrupted.");
    kvproof::app::add_verify(app, status);
    kvproof::app::add_check(app, status);
    kvproof::app::add_table(app, status);
    kvproof::app::add_certify(app, status);
    kvproof::app::add_compare(app, status);
    kvproof::app::add_claims(app, status);
    kvproof::app::add_account(app, status);
    kvproof::app::add_probe(app, status);
    kvproof::app::add_montecarlo(app, status);
    kvproof::app::add_report(app, status);
    kvproof::app::add_help(app, status);
    try {
        app.parse(argc, argv);
        return status;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            return kvproof::app::is_first_rank() ? app.exit(error) : 0; // --help, --version
        print_error(usage_error(app, error));
        return bad_usage;
    } catch (const kvproof::Error& error) {
        print_error(error.what());
        return kvproof::error_entry(error.code()).exit_status;
    } catch (const std::exception& error) {
        print_error(std::string("internal error: ") + error.what());
        return internal_error;
    }
}

} // namespace

int main(int argc, char** argv) {
    kvproof::app::start_ranks(&argc, &argv);
    // what has no use for more than one rank is run by the first
    const bool shared = argc > 1 && std::string_view(argv[1]) == "montecarlo";
    const int status = shared || kvproof::app::is_first_rank() ? run(argc, argv) : 0;
    kvproof::app::finish_ranks();
    return status;
}
