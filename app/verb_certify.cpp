// kvproof certify: the error of a reader on captured attention beside its certificates.

#include "app/capture_options.hpp"
#include "app/certify_rows.hpp"
#include "app/device.hpp"
#include "app/progress.hpp"
#include "app/statistics.hpp"
#include "gpu/from_library/certify_by_bodies.hpp"
#include "lib/error.hpp"
#include "lib/record/file.hpp"
#include "sim/on_threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace kvproof::app {
namespace {

using Json = nlohmann::ordered_json;

struct CertifyOptions {
    CaptureOptions capture;
    std::string reader = "readkv:8,4";
    std::string centre = "mean";
    std::string rows;
    bool rigorous = false;
    std::string device = "cpu";
};

bool violates(const Certified& row) {
    if (!row.certified) return false;
    return row.bound < row.error_sq || row.sharp_bound < row.error_sq;
}

/// Infinity has no JSON number.
Json number(double value) {
    if (std::isinf(value)) return "inf";
    return value;
}

/// Median and the 5 and 95 % points of a ratio over the rows where its denominator is not 0.
Json spread(const std::vector<Certified>& rows, const std::function<double(const Certified&)>& above,
            const std::function<double(const Certified&)>& below) {
    std::vector<double> ratios;
    for (const Certified& row : rows)
        if (below(row) > 0) ratios.push_back(above(row) / below(row));
    if (ratios.empty()) return nullptr;
    std::ranges::sort(ratios);
    return {{"median", number(quantile(ratios, 0.5))},
            {"5%", number(quantile(ratios, 0.05))},
            {"95%", number(quantile(ratios, 0.95))}};
}

/// What the bounds are over the error, and where they lose.
Json tightness(const std::vector<Certified>& rows) {
    const auto field = [](double Certified::*which) {
        return [which](const Certified& row) { return row.*which; };
    };
    const auto error = field(&Certified::error_sq);
    std::uint64_t transported = 0;
    for (const Certified& row : rows) transported += row.by_transport ? 1 : 0;
    return {
        {"bound", spread(rows, field(&Certified::bound), error)},
        {"sharp_bound", spread(rows, field(&Certified::sharp_bound), error)},
        {"lost_at",
         {{"discrimination",
           spread(rows, field(&Certified::logit_variance), field(&Certified::discrimination))},
          {"attention_term",
           spread(rows, field(&Certified::attention_bound_sq), field(&Certified::attention_term_sq))},
          {"value_term", spread(rows, field(&Certified::value_bound_sq), field(&Certified::value_term_sq))},
          {"addition", spread(
                           rows,
                           [](const Certified& row) {
                               const double sum =
                                   std::sqrt(row.attention_term_sq) + std::sqrt(row.value_term_sq);
                               return sum * sum;
                           },
                           error)},
          {"logits", spread(
                         rows, [](const Certified& row) { return row.kappa_k * row.a_k; },
                         field(&Certified::logit_error_sq))},
          {"by_transport", transported}}}};
}

Json layer_json(int layer, const std::vector<Certified>& rows) {
    std::vector<double> errors;
    std::vector<double> relative;
    std::uint64_t violations = 0;
    std::uint64_t key_spent = 0, key_budget = 0, value_spent = 0, value_budget = 0;
    for (const Certified& row : rows) {
        errors.push_back(row.error_sq);
        if (row.output_sq > 0) relative.push_back(row.error_sq / row.output_sq);
        violations += violates(row) ? 1 : 0;
        key_spent += row.key_bits;
        key_budget += row.key_budget;
        value_spent += row.value_bits;
        value_budget += row.value_budget;
    }
    Json out = {{"layer", layer},
                {"observations", rows.size()},
                {"error_sq", {{"mean", mean(errors)}, {"max", *std::ranges::max_element(errors)}}}};
    if (!relative.empty())
        out["relative_error"] = {{"mean", mean(relative)}, {"max", *std::ranges::max_element(relative)}};
    if (!rows.front().certified) return out;
    std::vector<double> bounds;
    std::vector<double> sharp;
    for (const Certified& row : rows) {
        bounds.push_back(row.bound);
        sharp.push_back(row.sharp_bound);
    }
    out["bound"] = {{"mean", number(mean(bounds))}, {"max", number(*std::ranges::max_element(bounds))}};
    out["sharp_bound"] = {{"mean", number(mean(sharp))}, {"max", number(*std::ranges::max_element(sharp))}};
    out["key_increments"] = {{"spent", key_spent}, {"budget", key_budget}};
    out["value_increments"] = {{"spent", value_spent}, {"budget", value_budget}};
    out["violations"] = violations;
    return out;
}

std::string text_report(const Json& report) {
    std::string out =
        fmt::format("{}, {}: {} observations\n", report["reader"].get<std::string>(),
                    report["capture"].get<std::string>(), report["observations"].get<std::size_t>());
    const bool certified = report["certified"].get<bool>();
    out += fmt::format("{:>5}{:>14}{:>14}", "layer", "mean error", "max error");
    if (certified) out += fmt::format("{:>14}{:>14}{:>12}", "mean sharp", "mean bound", "violations");
    out += '\n';
    const auto figure = [](const Json& value) {
        return value.is_string() ? value.get<std::string>() : fmt::format("{:.4e}", value.get<double>());
    };
    for (const Json& layer : report["per_layer"]) {
        out += fmt::format("{:>5}{:>14}{:>14}", layer["layer"].get<int>(), figure(layer["error_sq"]["mean"]),
                           figure(layer["error_sq"]["max"]));
        if (layer.contains("bound"))
            out += fmt::format("{:>14}{:>14}{:>12}", figure(layer["sharp_bound"]["mean"]),
                               figure(layer["bound"]["mean"]), layer["violations"].get<std::uint64_t>());
        out += '\n';
    }
    if (!certified) return out + "no certificate: the reader has no prefix schedule\n";
    const auto line = [&](const std::string& name, const Json& ratios) {
        if (ratios.is_null()) return;
        out += fmt::format("  {:<34}{:>12}{:>12}{:>12}\n", name, figure(ratios["5%"]),
                           figure(ratios["median"]), figure(ratios["95%"]));
    };
    const Json& tight = report["tightness"];
    out += fmt::format("{:<36}{:>12}{:>12}{:>12}\n", "bound over squared error", "5 %", "median", "95 %");
    line("Proposition 12", tight["bound"]);
    const std::string violations = fmt::format("{} violations, ", report["violations"].get<std::uint64_t>());
    if (report.contains("device")) return out + violations + "on a device, without the sharp certificate\n";
    line("sharp certificate", tight["sharp_bound"]);
    out += "where the sharp certificate loses, squared\n";
    const Json& lost = tight["lost_at"];
    line("V'(alpha - alpha^)", lost["attention_term"]);
    line("  more, were it by Var(Delta)", lost["discrimination"]);
    line("E_V' alpha^", lost["value_term"]);
    line("adding the two", lost["addition"]);
    return out + violations + "every rounding counted\n";
}

/// Throws Error(bad_option) where the device does not do what is asked.
gpu::ServeLayer server_of(const CertifyOptions& options) {
    if (options.device == "cpu") return {};
    const System system = parse_system(options.reader);
    if (system.kind != System::Kind::readkv || system.protect)
        throw Error(ErrorCode::bad_option, "--device: found cuda for the reader " + options.reader +
                                               ", expected readkv:W,R or readkv:W,RK,RV");
    if (options.centre != "mean")
        throw Error(ErrorCode::bad_option, "--device: found cuda with --centre zero, expected mean");
    if (options.rigorous)
        throw Error(ErrorCode::bad_option,
                    "--device: found cuda with --rigorous, expected cpu: what a device leaves to double is "
                    "not rounded outward");
    return device_server();
}

int certify(const CertifyOptions& options) {
    const gpu::ServeLayer server = server_of(options);
    const CaptureRun run(options.capture);
    const auto reader = make_reader(options.reader, run.capture().shape().layers);
    if (reader->needs_calibration() && !run.has_calibration())
        throw Error(ErrorCode::bad_option, "--calibration: found none, expected a capture or self, which " +
                                               options.reader + " needs");
    run.prepare(*reader);
    const CertificateOptions certificate{options.centre == "mean" ? Centre::mean : Centre::zero,
                                         options.capture.pool == "head"};
    const Executor executor = on_threads(options.capture.common.threads);
    Progress progress(run.layers().size() * blocks_of(run.rows()), options.capture.common.quiet);
    std::vector<Certified> rows;
    Json layers = Json::array();
    std::uint64_t violations = 0;
    std::uint64_t bits = 0;
    for (const int index : run.layers()) {
        const KeptLayer layer = run.layer(index);
        const auto step = [&] { progress.step("layer " + std::to_string(index)); };
        const Measured measured =
            server ? gpu::certify_by_bodies(parse_system(options.reader), layer.input(), run.settings(),
                                            run.rows(), server, executor, step)
                   : measure(*reader, layer.input(), run.settings(), run.rows(), true, certificate, executor,
                             step);
        layers.push_back(layer_json(index, measured.rows));
        bits += measured.bits_read;
        for (const Certified& row : measured.rows) violations += violates(row) ? 1 : 0;
        rows.insert(rows.end(), measured.rows.begin(), measured.rows.end());
    }
    // with +protect some layers are dense: what has a certificate is summed up
    std::vector<Certified> bounded;
    std::ranges::copy_if(rows, std::back_inserter(bounded), &Certified::certified);
    Json report = run.configuration();
    report["reader"] = options.reader;
    report["centre"] = options.centre;
    report["rigorous"] = !server;
    if (server) report["device"] = options.device;
    report["certified"] = !bounded.empty();
    report["observations"] = rows.size();
    report["bits_read"] = std::to_string(bits);
    report["violations"] = violations;
    report["per_layer"] = std::move(layers);
    report["tightness"] = bounded.empty() ? Json(nullptr) : tightness(bounded);
    if (!options.rows.empty()) write_file_atomically(options.rows, rows_csv(rows));
    print(options.capture.common.format == "json" ? report.dump(2) + "\n" : text_report(report));
    for (const std::string& note : run.capture().notes()) fmt::print(stderr, "kvproof: note: {}\n", note);
    return violations == 0 ? 0 : 1;
}

} // namespace

void add_certify(CLI::App& app, Status& status) {
    const auto options = std::make_shared<CertifyOptions>();
    CLI::App* verb =
        app.add_subcommand("certify", "Hold a reader's error on captured attention against its certificates");
    add_capture_options(*verb, options->capture);
    verb->add_option("--reader", options->reader, "The system to run (kvproof compare --help lists them)")
        ->capture_default_str();
    verb->add_option("--centre", options->centre, "Centre c of the values in ||V - 1c'||")
        ->check(CLI::IsMember({"mean", "zero"}))
        ->capture_default_str();
    verb->add_flag("--rigorous", options->rigorous,
                   "Bounds of the true error of the stored file, every rounding counted: always so");
    verb->add_option("--rows", options->rows, "Write one line an observation to this csv file");
    add_device_option(
        *verb, options->device,
        "Where readkv:W,R and Proposition 12's factors are computed: on cuda in binary32, without "
        "the sharp certificate");
    add_common_options(*verb, options->capture.common, {"text", "json"});
    verb->footer(
        "Two bounds of ||o - o^||^2 stand beside it: ReadKV's Proposition 12 and a sharp one that compares "
        "the two\n"
        "softmaxes token by token (docs/sharp-certificate.md). Exit status 1 where one is violated.\n"
        "Example:\n"
        "  kvproof certify tests/data/captures/byte64_test.safetensors \\\n"
        "    --calibration tests/data/captures/byte64_calib.safetensors --rows rows.csv");
    verb->callback([options, &status] { status = certify(*options); });
}

} // namespace kvproof::app
