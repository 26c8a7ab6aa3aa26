#include "app/verb.hpp"
#include "lib/error.hpp"

#include <charconv>
#include <cstdio>
#include <limits>

namespace kvproof::app {
namespace {

/// CLI11 would take a number beyond 64 bits for the largest that fits.
std::string seed_complaint(const std::string& text) {
    std::uint64_t seed = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, seed);
    if (failure == std::errc() && stopped == end) return "";
    return "found " + text + ", expected a whole number from 0 to " +
           std::to_string(std::numeric_limits<std::uint64_t>::max());
}

} // namespace

void add_common_options(CLI::App& verb, CommonOptions& options, const std::vector<std::string>& formats) {
    verb.add_option("--format", options.format, "Output on stdout")
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
    verb.add_option("--threads", options.threads, "Threads; the output does not depend on them")
        ->check(CLI::Range(1U, 1024U))
        ->capture_default_str();
    verb.add_option("--seed", options.seed,
                    "Seed of everything random (nothing is, in this command, unless said)")
        ->check(CLI::Validator(seed_complaint, "NONNEGATIVE"))
        ->capture_default_str();
    verb.add_flag("--quiet", options.quiet, "No progress on stderr");
}

void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw Error(ErrorCode::file_not_writable, "standard output: not everything could be written");
}

} // namespace kvproof::app
