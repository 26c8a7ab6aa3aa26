// kvproof montecarlo: seeded experiments with confidence intervals, shared out over threads and ranks.

#include "app/device.hpp"
#include "app/montecarlo_report.hpp"
#include "app/montecarlo_run.hpp"
#include "app/progress.hpp"
#include "app/ranks.hpp"
#include "app/verb.hpp"
#include "lib/error.hpp"
#include "sim/on_threads.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace kvproof::app {
namespace {

constexpr std::uint64_t most_trials = 1'000'000'000'000'000;

struct MontecarloOptions {
    CommonOptions common;
    std::string experiment;
    std::uint64_t trials = 0;
    std::vector<std::string> settings;
    std::string capture;
    std::string calibration;
    std::string resume;
    std::string device = "cpu";
};

CaptureInputs files_of(const MontecarloOptions& options) {
    CaptureInputs out;
    if (!options.capture.empty()) out.capture = std::make_shared<const Capture>(options.capture);
    if (options.calibration == "self" && !out.capture)
        throw Error(ErrorCode::bad_option,
                    "--calibration: found self without --capture, expected a capture that calibrates itself");
    if (options.calibration == "self")
        out.calibration = out.capture;
    else if (!options.calibration.empty())
        out.calibration = std::make_shared<const Capture>(options.calibration);
    return out;
}

int montecarlo(const MontecarloOptions& options) {
    CaptureInputs files;
    Task task;
    std::unique_ptr<BlockFile> known;
    static_cast<void>(together([&] {
        files = files_of(options);
        task = make_task(options.experiment, options.settings, options.common.seed, files);
        if (options.device == "cuda") draw_on_device(task, files);
        if (is_first_rank()) known = std::make_unique<BlockFile>(options.resume, task);
        return std::string();
    }));
    const MonteCarloRun run{.trials = options.trials,
                            .execute = on_threads(options.common.threads),
                            .threads = options.common.threads};
    std::optional<Progress> progress;
    const Sums sums = run_montecarlo(
        task, run, known.get(), [&](std::uint64_t blocks) { progress.emplace(blocks, options.common.quiet); },
        [&] { progress->step(task.row->name); });
    progress.reset();
    if (!is_first_rank()) return 0;
    print(options.common.format == "json" ? montecarlo_json(task, files, sums)
                                          : montecarlo_text(task, files, sums));
    return 0;
}

std::string manual() {
    std::string out = "Experiments, and what --set changes:\n";
    for (const ExperimentRow& row : experiments()) {
        out += fmt::format("  {:<22}{}{}\n", row.name, row.summary, row.needs_capture ? " (--capture)" : "");
        for (const Parameter& parameter : row.parameters) {
            std::string choices;
            for (const std::string& choice : parameter.choices)
                choices += (choices.empty() ? "" : "|") + choice;
            out += fmt::format("    {:<20}{}{}\n", parameter.name + "=" + parameter.preset, parameter.meaning,
                               choices.empty() ? "" : ": " + choices);
        }
    }
    return out +
           "Example: how near the remainder of softmax comes to its bound\n"
           "  kvproof montecarlo remainder --trials 300000 --set size=0.5,noise=uniform --resume blocks.csv\n"
           "Example: whether ReadKV's scores rank schedules as their errors do\n"
           "  kvproof montecarlo surrogate --capture tests/data/captures/byte64_test.safetensors \\\n"
           "    --calibration tests/data/captures/byte64_calib.safetensors --trials 50";
}

} // namespace

void add_montecarlo(CLI::App& app, Status& status) {
    const auto options = std::make_shared<MontecarloOptions>();
    CLI::App* verb =
        app.add_subcommand("montecarlo", "Run seeded experiments with confidence intervals that are valid");
    verb->add_option("experiment", options->experiment, "Which one: see below")->required();
    verb->add_option("--trials", options->trials, "How many; more trials extend a run of fewer")
        ->check(CLI::Range(std::uint64_t{1}, most_trials))
        ->required();
    verb->add_option("--set", options->settings, "Parameters, as NAME=VALUE, with commas between them")
        ->delimiter(',')
        ->allow_extra_args(false);
    verb->add_option("--capture", options->capture, "Captured attention, for experiments that need it");
    verb->add_option("--calibration", options->calibration,
                     "Capture to calibrate on (the same model, another text), or self");
    verb->add_option(
        "--resume", options->resume,
        "Keep finished blocks in this file, one line each, and take those that it holds from it");
    add_device_option(*verb, options->device,
                      "Where remainder's trials are drawn; the output does not depend on it");
    add_common_options(*verb, options->common, {"text", "json"});
    verb->footer(manual());
    verb->callback([options, &status] { status = montecarlo(*options); });
}

} // namespace kvproof::app
