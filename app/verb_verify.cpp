// kvproof verify: decides every claim of the registry, prints and writes the results.

#include "app/out_dir.hpp"
#include "app/progress.hpp"
#include "app/verb.hpp"
#include "lib/codec/codebook_file.hpp"
#include "proofs/results_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace kvproof::app {
namespace {

struct VerifyOptions {
    CommonOptions common;
    std::vector<std::string> patterns;
    std::string out = "out";
    std::string effort = "default";
    std::string codebook;
    bool strict = false;
    bool timings = false;
};

constexpr const char* help_example =
    "Example: the claims of Lemma 7 about the first gain, in all three readings\n"
    "  kvproof verify 'readkv.lemma7.gain.1.*'\n"
    "Verdicts: proved (a rigorous computation decides the whole statement), refuted (a counterexample is "
    "held),\n"
    "supported (a stated part was checked), undecided (says why).";

CertifiedQuantities quantities_of(const VerifyOptions& options) {
    return options.codebook.empty() ? CertifiedQuantities()
                                    : CertifiedQuantities(read_codebook(options.codebook));
}

std::vector<Result> run(const VerifyOptions& options, const Context& context) {
    const std::vector<Claim> claims = select_claims(options.patterns);
    const std::string codebook_name = std::filesystem::path(options.codebook).filename().string();
    Progress progress(claims.size(), options.common.quiet);
    std::vector<Result> results;
    for (const Claim& claim : claims) {
        progress.begin(results.size(), claim.id);
        const auto start = std::chrono::steady_clock::now();
        results.push_back(verify_claim(claim, context, codebook_name));
        results.back().seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return results;
}

/// For a table: results.json has what is cut off.
std::string joined(const std::vector<std::string>& values) {
    constexpr std::size_t longest = 400;
    std::string out;
    for (const std::string& value : values) out += (out.empty() ? "" : "; ") + value;
    return out.size() <= longest ? out : out.substr(0, longest) + "...";
}

std::string verdict_text(const Result& result) {
    const Decision& decision = result.decision;
    std::string out(to_string(decision.verdict));
    if (decision.why != Why::none) out += fmt::format(" ({})", to_string(decision.why));
    if (!result.as_recorded()) out += fmt::format(" [recorded: {}]", to_string(result.claim.recorded));
    return out;
}

std::string details(const std::vector<Result>& results, Verdict verdict, const char* title) {
    std::string out;
    for (const Result& result : results) {
        if (result.decision.verdict != verdict || result.decision.why == Why::effort) continue;
        if (out.empty()) out = fmt::format("\n{}\n", title);
        out += fmt::format("  {}  ({})\n    {}\n", result.claim.id, result.claim.reference(),
                           result.claim.statement);
        for (const Witness& witness : result.decision.witness)
            out += fmt::format("    {}: {}\n", witness.name, joined(witness.values));
        if (verdict == Verdict::refuted && !result.claim.note.empty())
            out += fmt::format("    {}\n", result.claim.note);
    }
    return out;
}

/// Whether a row is left to the line that sums up the audit: one among other claims that came out as
/// recorded.
bool is_summed_up(const Result& result, bool audit_only) {
    return !audit_only && is_audit(result.claim) && result.as_recorded();
}

/// "355 sentences about printed numbers: 235 proved, ..."
std::string audit_line(const std::vector<Result>& results, std::size_t id_width) {
    const Summary audit = summarise(results);
    return fmt::format(
        "{:<{}}  {} sentences about printed numbers: {} proved, {} refuted, {} left open by the rounding"
        " (kvproof verify 'paper.audit.*' lists them)\n",
        "paper.audit.*", id_width, results.size(), audit.proved, audit.refuted, audit.supported);
}

std::string text(const std::vector<Result>& results, bool timings) {
    const bool audit_only =
        std::ranges::all_of(results, [](const Result& result) { return is_audit(result.claim); });
    std::size_t id_width = 2;
    std::size_t verdict_width = 10;
    std::vector<Result> audit;
    for (const Result& result : results) {
        if (is_summed_up(result, audit_only))
            audit.push_back(result);
        else {
            id_width = std::max(id_width, result.claim.id.size());
            verdict_width = std::max(verdict_width, verdict_text(result).size());
        }
    }
    std::string out = fmt::format("{:<{}}  {:<{}}  {:<14}  {}\n", "id", id_width, "verdict", verdict_width,
                                  "slack", "value");
    for (const Result& result : results) {
        if (is_summed_up(result, audit_only)) continue;
        out +=
            fmt::format("{:<{}}  {:<{}}  {:<14}  {}", result.claim.id, id_width, verdict_text(result),
                        verdict_width, slack_text(result.decision, 9), enclosure_text(result.decision, 20));
        if (timings) out += fmt::format("  {:.3f} s", result.seconds);
        out += "\n";
    }
    if (!audit.empty()) out += audit_line(audit, id_width);
    const Summary summary = summarise(results);
    out += details(results, Verdict::refuted, "Refuted:");
    out += details(results, Verdict::undecided, "Undecided:");
    out += fmt::format(
        "\n{} claims: {} proved, {} refuted, {} supported, {} undecided; {} differ from the record\n",
        results.size(), summary.proved, summary.refuted, summary.supported, summary.undecided,
        summary.differing);
    return out;
}

int exit_status(const std::vector<Result>& results, bool strict) {
    const Summary summary = summarise(results);
    const bool loose = summary.supported + summary.undecided > 0;
    return summary.differing > 0 || (strict && loose) ? 1 : 0;
}

int verify(const VerifyOptions& options) {
    const CertifiedQuantities quantities = quantities_of(options);
    Effort effort;
    effort.full = options.effort == "full";
    const Context context{quantities, effort};
    const std::vector<Result> results = run(options, context);
    const CertificateSet certificates = certificates_of(results, context);
    const std::string json = results_json(results, certificates, options.timings);
    write_out_dir(options.out, json, results, certificates);
    print(options.common.format == "json" ? json : text(results, options.timings));
    return exit_status(results, options.strict);
}

} // namespace

void add_verify(CLI::App& app, Status& status) {
    const auto options = std::make_shared<VerifyOptions>();
    CLI::App* verb = app.add_subcommand("verify", "Decide the claims of the papers and write the results");
    verb->add_option("ID-GLOB", options->patterns, "Claims to decide, with * and ?; all, if none is given");
    verb->add_option("--out", options->out,
                     "Folder for results.json, manifest.json and certificates/, replaced as a whole")
        ->capture_default_str();
    verb->add_option("--effort", options->effort, "How much work to spend: full also runs the rows marked so")
        ->check(CLI::IsMember({"default", "full"}))
        ->capture_default_str();
    verb->add_option(
        "--codebook", options->codebook,
        "A quantiser (.json, .safetensors, .npy) to hold the claims about the stored table against");
    verb->add_flag("--strict", options->strict, "Exit 1 if any claim is undecided or only supported");
    verb->add_flag("--timings", options->timings, "Print the seconds each claim took");
    add_common_options(*verb, options->common, {"text", "json"});
    verb->footer(help_example);
    verb->callback([options, &status] { status = verify(*options); });
}

} // namespace kvproof::app
