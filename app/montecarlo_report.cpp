#include "app/montecarlo_report.hpp"

#include "lib/exact/decimal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace kvproof::app {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

constexpr int digits = 6;

std::string figure(const std::optional<double>& value) {
    return value ? fmt::format("{:.{}g}", *value, digits) : "-";
}

/// Ends of intervals are rounded away from the mean.
std::string lower_end(const std::optional<double>& value) {
    return value ? lower_decimal(Interval::from_double(*value), digits) : "-";
}
std::string upper_end(const std::optional<double>& value) {
    return value ? upper_decimal(Interval::from_double(*value), digits) : "-";
}

Json references_json(const Task& task) {
    Json out = Json::object();
    for (const Reference& reference : task.experiment.references)
        out[reference.name] = {{"value", reference.value}, {"meaning", reference.meaning}};
    return out;
}

Json parameters_json(const Task& task) {
    Json out = Json::object();
    for (std::size_t p = 0; p < task.values.size(); ++p) {
        const Parameter& parameter = task.row->parameters[p];
        out[parameter.name] = parameter.choices.empty() ? Json::parse(task.values[p]) : Json(task.values[p]);
    }
    return out;
}

} // namespace

std::string montecarlo_json(const Task& task, const CaptureInputs& files, const Sums& sums) {
    Json metrics = Json::object();
    for (std::size_t m = 0; m < sums.metrics.size(); ++m) {
        const Metric& metric = task.experiment.metrics[m];
        const Estimate found = estimate(metric, sums.metrics[m]);
        Json& out = metrics[metric.name];
        out = {{"mean", number(found.mean)},       {"lower", number(found.lower)},
               {"upper", number(found.upper)},     {"level", confidence_level},
               {"method", method_of(metric.kind)}, {"samples", found.samples},
               {"least", number(found.least)},     {"greatest", number(found.greatest)}};
        if (metric.kind == MetricKind::bounded) out["range"] = {metric.lower, metric.upper};
        out["meaning"] = metric.meaning;
    }
    Json out = {{"format", 1},
                {"experiment", task.row->name},
                {"seed", task.seed},
                {"trials", sums.trials},
                {"task", task.hash},
                {"metrics", std::move(metrics)},
                {"levels", "each metric by itself"},
                {"references", references_json(task)},
                {"parameters", parameters_json(task)}};
    if (files.capture) out["capture"] = files.capture->source();
    if (files.calibration) out["calibration"] = files.calibration->source();
    return out.dump(2) + "\n";
}

std::string montecarlo_text(const Task& task, const CaptureInputs& files, const Sums& sums) {
    std::string out = task.row->name + ": " + task.row->summary + "\n";
    for (std::size_t p = 0; p < task.values.size(); ++p)
        out += (p == 0 ? "" : ", ") + task.row->parameters[p].name + " = " + task.values[p];
    if (!task.values.empty()) out += "\n";
    if (files.capture) out += "capture " + files.capture->source();
    if (files.calibration) out += ", calibrated on " + files.calibration->source();
    if (files.capture) out += "\n";
    out += fmt::format("{} trials of seed {}\n\n", sums.trials, task.seed);
    std::size_t width = 6;
    for (const Metric& metric : task.experiment.metrics) width = std::max(width, metric.name.size());
    for (const Reference& reference : task.experiment.references)
        width = std::max(width, reference.name.size());
    out += fmt::format("{:<{}}{:>13}{:>13}{:>13}{:>13}{:>13}  {}\n", "metric", width, "mean", "lower 95 %",
                       "upper 95 %", "least", "greatest", "method");
    for (std::size_t m = 0; m < sums.metrics.size(); ++m) {
        const Metric& metric = task.experiment.metrics[m];
        const Estimate found = estimate(metric, sums.metrics[m]);
        out += fmt::format("{:<{}}{:>13}{:>13}{:>13}{:>13}{:>13}  {}\n", metric.name, width,
                           figure(found.mean), lower_end(found.lower), upper_end(found.upper),
                           figure(found.least), figure(found.greatest), method_of(metric.kind));
    }
    for (const Reference& reference : task.experiment.references)
        out += fmt::format("{:<{}}{:>13}{:>54}{}\n", reference.name, width, figure(reference.value), "",
                           "reference");
    out += "\n";
    for (const Metric& metric : task.experiment.metrics)
        out += fmt::format("{:<{}}  {}\n", metric.name, width, metric.meaning);
    for (const Reference& reference : task.experiment.references)
        out += fmt::format("{:<{}}  {}\n", reference.name, width, reference.meaning);
    return out + fmt::format("\neach interval has its level by itself; task {}\n", task.hash);
}

} // namespace kvproof::app
