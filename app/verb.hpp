#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace kvproof::app {

/// Options that every verb takes.
struct CommonOptions {
    std::string format = "text";
    unsigned threads = 1;
    std::uint64_t seed = 0;
    bool quiet = false;
};

/// Adds --format, --threads, --seed and --quiet.
void add_common_options(CLI::App& verb, CommonOptions& options, const std::vector<std::string>& formats);

/// A verb is a subcommand whose callback leaves the exit status here; main returns it.
using Status = int;

void add_verify(CLI::App& app, Status& status);
void add_check(CLI::App& app, Status& status);
void add_table(CLI::App& app, Status& status);
void add_certify(CLI::App& app, Status& status);
void add_compare(CLI::App& app, Status& status);
void add_claims(CLI::App& app, Status& status);
void add_account(CLI::App& app, Status& status);
void add_probe(CLI::App& app, Status& status);
void add_montecarlo(CLI::App& app, Status& status);
void add_report(CLI::App& app, Status& status);
void add_help(CLI::App& app, Status& status);

/// Writes to standard output, checking that it arrived.
void print(const std::string& text);

} // namespace kvproof::app
