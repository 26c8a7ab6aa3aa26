#include "sim/montecarlo/task.hpp"

#include "lib/error.hpp"
#include "lib/record/sha256.hpp"

#include <algorithm>
#include <charconv>

namespace kvproof {
namespace {

/// Trials whose samples are in memory at once.
constexpr std::size_t most_samples = 1024;

std::string hex_float(double value) {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::hex).ptr};
}

} // namespace

std::uint64_t Task::blocks(std::uint64_t trials) const {
    return trials / experiment.block + (trials % experiment.block != 0 ? 1 : 0);
}

Task make_task(std::string_view experiment, const std::vector<std::string>& settings, std::uint64_t seed,
               const CaptureInputs& files) {
    Task out;
    out.row = &experiment_row(experiment);
    if (out.row->needs_capture && !files.capture)
        throw Error(ErrorCode::bad_option,
                    "--capture: found none, expected a file, which " + out.row->name + " needs");
    if (!out.row->needs_capture && (files.capture || files.calibration))
        throw Error(ErrorCode::bad_option, std::string(files.capture ? "--capture" : "--calibration") +
                                               ": found a file, expected none: " + out.row->name +
                                               " draws what it needs");
    out.values = parameter_values(*out.row, settings);
    out.seed = seed;
    out.experiment = out.row->make({out.values, files});
    out.hash = sha256(task_text(out, files));
    return out;
}

std::string task_text(const Task& task, const CaptureInputs& files) {
    std::string out = "kvproof montecarlo 1\nexperiment " + task.row->name + "\nversion " +
                      std::to_string(task.row->version) + "\nseed " + std::to_string(task.seed) + "\nblock " +
                      std::to_string(task.experiment.block) + "\n";
    for (std::size_t p = 0; p < task.values.size(); ++p)
        out += "parameter " + task.row->parameters[p].name + " " + task.values[p] + "\n";
    for (const Metric& metric : task.experiment.metrics)
        out += "metric " + metric.name + " " + method_of(metric.kind) + " " + hex_float(metric.lower) + " " +
               hex_float(metric.upper) + "\n";
    if (files.capture) out += "capture " + files.capture->hash() + "\n";
    if (files.calibration) out += "calibration " + files.calibration->hash() + "\n";
    return out;
}

Sums run_range(const Task& task, std::uint64_t first, std::uint64_t count) {
    const std::vector<Metric>& metrics = task.experiment.metrics;
    Sums out{.trials = count, .metrics = std::vector<MetricSums>(metrics.size())};
    while (count > 0) {
        const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(count, most_samples));
        SampleTable samples(metrics.size(), now);
        task.experiment.run({task.seed, first, now}, samples);
        for (std::size_t m = 0; m < metrics.size(); ++m)
            add_samples(out.metrics[m], metrics[m], samples.of(m), first);
        first += now;
        count -= now;
    }
    return out;
}

Sums run_block(const Task& task, std::uint64_t block, std::uint64_t trials) {
    const std::uint64_t first = block * task.experiment.block;
    return run_range(task, first, std::min<std::uint64_t>(task.experiment.block, trials - first));
}

} // namespace kvproof
