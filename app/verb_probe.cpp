// kvproof probe: the minimax risks of the access classes on a finite family.

#include "app/probe_certificates.hpp"
#include "app/probe_results.hpp"
#include "app/probe_text.hpp"
#include "app/progress.hpp"
#include "app/verb.hpp"
#include "lib/error.hpp"
#include "sim/on_threads.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <span>

namespace kvproof::app {
namespace {

constexpr int most_bits = 32;
constexpr int most_probes = 16;
constexpr int stored_depth = 8;
constexpr Bits accuracy = 128;

struct ProbeOptions {
    CommonOptions common;
    std::string family;
    std::string bits;
    std::string probes;
    std::vector<std::string> classes = {"all"};
    std::string coins = "both";
    double time_limit = 0; // seconds; 0: none
    std::string resume;
    std::string certificates;
};

struct Range {
    int first = 0;
    int last = 0;
};

/// "2" or "0..4", ascending and at most `most`.
Range range_of(const std::string& option, const std::string& text, int most) {
    const auto refuse = [&] {
        throw Error(ErrorCode::bad_option, option + ": found \"" + text + "\", expected a number from 0 to " +
                                               std::to_string(most) + " or a range such as 0..4");
    };
    const auto number = [&](std::string_view digits) {
        int value = 0;
        const char* end = digits.data() + digits.size();
        const auto [stopped, failure] = std::from_chars(digits.data(), end, value);
        if (failure != std::errc() || stopped != end || digits.starts_with('-') || value > most) refuse();
        return value;
    };
    const std::size_t dots = text.find("..");
    const std::string_view all = text;
    if (dots == std::string::npos) return {number(all), number(all)};
    const Range out{number(all.substr(0, dots)), number(all.substr(dots + 2))};
    if (out.first > out.last) refuse();
    return out;
}

std::vector<AccessClass> classes_at(const ProbeOptions& options, int probes) {
    std::vector<AccessClass> out;
    for (const std::string& name : options.classes) {
        const std::vector<AccessClass> named =
            name == "all" ? access_classes(probes) : std::vector{parse_access_class(name)};
        for (const AccessClass& access : named)
            if (std::ranges::find(out, access) == out.end()) out.push_back(access);
    }
    return out;
}

/// The cells in the order of the report: by w, by r, from the weakest class.
ProbeReport empty_report(const ProbeOptions& options) {
    ProbeReport out{.family = make_family(options.family), .lines = {}, .beside = {}};
    const Range bits = range_of("--bits", options.bits, most_bits);
    const Range probes = range_of("--probes", options.probes, most_probes);
    for (int w = bits.first; w <= bits.last; ++w)
        for (int r = probes.first; r <= probes.last; ++r) {
            out.beside.push_back({w, r, {}, {}});
            for (const AccessClass& access : classes_at(options, r))
                out.lines.push_back({{access, w, r}, {}, {}});
        }
    return out;
}

StopRequest time_limit(double seconds) {
    if (seconds == 0) return {};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    return [end] { return std::chrono::steady_clock::now() >= end; };
}

std::string text_of(const ProbeCell& cell) {
    return to_string(cell.access) + ", w = " + std::to_string(cell.bits) +
           ", r = " + std::to_string(cell.probes);
}

/// The best protocol that an earlier line has for a class within the line's.
std::optional<Protocol> reached_before(std::span<const ProbeLine> earlier, const ProbeLine& line,
                                       const Family& family) {
    const ProbeLine* best = nullptr;
    for (const ProbeLine& other : earlier)
        if (is_within(other.cell.access, line.cell.access) &&
            (best == nullptr || other.deterministic->upper < best->deterministic->upper))
            best = &other;
    if (best == nullptr) return {};
    return for_class(best->deterministic->protocol, family, line.cell.access);
}

/// The classes at one budget without coins, in turn: what one reaches is where the search for the next
/// begins.
void fill_risks(std::span<ProbeLine> lines, const Family& family, const ProbeEngines& engines,
                ProbeResults& known, const StopRequest& stop, Progress& progress) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        ProbeLine& line = lines[i];
        const DeterministicCell* found = known.find(line.cell);
        line.deterministic =
            found != nullptr
                ? *found
                : engines.deterministic(line.cell, reached_before(lines.first(i), line, family), stop);
        if (found == nullptr && line.deterministic->decided()) known.add(line.cell, *line.deterministic);
        progress.step(text_of(line.cell));
    }
}

void fill_bracket(ProbeLine& line, const ProbeEngines& engines, ProbeResults& known, const StopRequest& stop,
                  Progress& progress) {
    const Bracket* found = known.find_bracket(line.cell);
    line.randomised = found != nullptr ? *found : engines.randomised(line.cell, stop);
    if (found == nullptr && line.randomised && line.randomised->finished)
        known.add(line.cell, *line.randomised);
    progress.step(text_of(line.cell) + ", public coins");
}

int probe(const ProbeOptions& options) {
    ProbeReport report = empty_report(options);
    const Family& family = report.family;
    ProbeResults known(options.resume, family);
    const ProbeEngines engines(family);
    const StopRequest stop = time_limit(options.time_limit);
    {
        const bool risks = options.coins != "public";
        const bool brackets = options.coins != "none";
        Progress progress(report.lines.size() * (risks && brackets ? 2 : 1), options.common.quiet);
        const Executor execute = on_threads(options.common.threads);
        if (risks)
            execute(report.beside.size(), [&](std::size_t i) {
                const auto cell = [](const ProbeLine& line) {
                    return std::pair(line.cell.bits, line.cell.probes);
                };
                const std::pair sought(report.beside[i].bits, report.beside[i].probes);
                const auto first = std::ranges::lower_bound(report.lines, sought, {}, cell);
                const auto last = std::ranges::upper_bound(report.lines, sought, {}, cell);
                fill_risks({first, last}, family, engines, known, stop, progress);
            });
        if (brackets)
            execute(report.lines.size(),
                    [&](std::size_t i) { fill_bracket(report.lines[i], engines, known, stop, progress); });
    }
    if (!family.source_points.empty()) {
        const NestedCode code = gaussian_code(stored_depth);
        for (ProbeBeside& beside : report.beside) {
            beside.readkv = readkv_reach(family, code, beside.bits, beside.probes);
            beside.converse = query_independent_converse(family, beside.bits, beside.probes, accuracy);
        }
    }
    if (!options.certificates.empty()) write_probe_certificates(options.certificates, report, stop);
    print(options.common.format == "json" ? probe_json(report) : probe_text(report));
    return 0;
}

} // namespace

void add_probe(CLI::App& app, Status& status) {
    const auto options = std::make_shared<ProbeOptions>();
    CLI::App* verb = app.add_subcommand("probe", "Compute the minimax risks of the reader classes exactly");
    verb->add_option("family", options->family,
                     "hypercube:d, sparse:d,k, grid:d,levels, hadamard:d, attention:levels, pointer:n, "
                     "labels:WORD,... or file:PATH")
        ->required();
    verb->add_option("--bits", options->bits, "w, the bits of a record, or a range such as 0..4")->required();
    verb->add_option("--probes", options->probes, "r, the bits read for a query, or a range")->required();
    verb->add_option(
            "--classes", options->classes,
            "oblivious, query-independent, staged:J, branching, with commas between them; all: those "
            "that can differ at r probes")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    verb->add_option("--coins", options->coins,
                     "none: protocols without coins; public: with public coins; both")
        ->check(CLI::IsMember({"none", "public", "both"}))
        ->capture_default_str();
    verb->add_option("--time-limit", options->time_limit,
                     "Stop searching after so many seconds; what is undecided then is an interval. 0: never")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str();
    verb->add_option("--resume", options->resume,
                     "Keep finished cells in this file, one line each, and take those that it holds from it");
    verb->add_option("--certificates", options->certificates,
                     "Write certificates of what was decided into this folder, for `kvproof check`");
    add_common_options(*verb, options->common, {"text", "json"});
    verb->footer(
        "Risks are exact worst squared errors over all sources and queries (docs/probe.md). Beside them: "
        "what\n"
        "ReadKV's own reader reaches at these budgets, and lower bounds for readers whose path does not "
        "see the query.\n"
        "Example: three bits stored of a vertex of the cube, up to three of them read\n"
        "  kvproof probe hypercube:3 --bits 3 --probes 0..3\n"
        "Example: a selector picks the bit that answers; two batches do what one cannot\n"
        "  kvproof probe pointer:2 --bits 3 --probes 2 --format json");
    verb->callback([options, &status] { status = probe(*options); });
}

} // namespace kvproof::app
