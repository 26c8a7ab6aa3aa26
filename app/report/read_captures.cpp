#include "app/report/read_results.hpp"

#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace kvproof::report {
namespace {

std::string calibration_of(const Fields& fields) {
    const std::string path = fields.text_or_null("calibration");
    return path.empty() ? "" : file_name(path);
}

void add_ratio(CertifyResults& out, const Fields& tightness, const char* key, const char* name) {
    if (!tightness.has(key) || tightness.at(key).kind == JsonValue::Kind::null) return;
    const Fields ratio = tightness.object(key);
    out.ratios.emplace_back(name,
                            std::vector{ratio.number("5%"), ratio.number("median"), ratio.number("95%")});
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find(',', at), line.size());
        out.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

} // namespace

CertifyResults read_certify(const Fields& fields) {
    CertifyResults out;
    out.capture = file_name(fields.text("capture"));
    out.calibration = calibration_of(fields);
    out.reader = fields.text("reader");
    out.observations = fields.number("observations");
    out.violations = fields.number("violations");
    for (const Fields& layer : fields.objects("per_layer")) {
        CertifiedLayer row;
        row.layer = layer.number("layer");
        row.error = layer.object("error_sq").number("mean");
        if (layer.has("bound")) {
            row.sharp = layer.object("sharp_bound").number("mean");
            row.bound = layer.object("bound").number("mean");
            row.violations = layer.number("violations");
        }
        out.layers.push_back(std::move(row));
    }
    if (fields.at("tightness").kind != JsonValue::Kind::null) {
        const Fields tightness = fields.object("tightness");
        add_ratio(out, tightness, "bound", "bound of Proposition 12");
        add_ratio(out, tightness, "sharp_bound", "sharp certificate");
    }
    return out;
}

CertifyRows read_certify_rows(const std::string& text, const std::string& file) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> header = cells_of(line);
    std::array<std::size_t, 3> columns{};
    constexpr std::array<const char*, 3> names = {"error_sq", "bound", "sharp_bound"};
    for (std::size_t c = 0; c < names.size(); ++c) {
        columns[c] = static_cast<std::size_t>(std::ranges::find(header, names[c]) - header.begin());
        if (columns[c] == header.size())
            throw Error(ErrorCode::bad_file_format, file + ": line 1: found no column " + names[c] +
                                                        ", expected the header of kvproof certify --rows");
    }
    CertifyRows out{file_name(file), 0, {}};
    for (std::size_t number = 2; std::getline(lines, line); ++number) {
        const std::vector<std::string> cells = cells_of(line);
        const std::string where = file + ": line " + std::to_string(number);
        if (cells.size() != header.size())
            throw Error(ErrorCode::bad_file_format, where + ": found " + std::to_string(cells.size()) +
                                                        " cells, expected " + std::to_string(header.size()));
        if (cells[columns[1]].empty()) {
            ++out.uncertified;
            continue;
        }
        for (const std::size_t column : columns)
            if (!is_number(cells[column]))
                throw Error(ErrorCode::bad_file_format,
                            where + ": found " + in_quotes(cells[column]) + ", expected a number");
        out.rows.push_back(
            {to_double(cells[columns[0]]), to_double(cells[columns[1]]), to_double(cells[columns[2]])});
    }
    return out;
}

CompareResults read_compare(const Fields& fields) {
    CompareResults out{file_name(fields.text("capture")), calibration_of(fields), {}, {}};
    for (const Fields& row : fields.objects("rows"))
        out.systems.push_back({row.text("reader"), row.number("relative_error"), row.number("median"),
                               row.number("max"), row.number("reads_percent"),
                               row.number("capacity_percent")});
    if (fields.has("left_out")) out.left_out = fields.strings("left_out");
    return out;
}

MonteCarloResults read_montecarlo(const Fields& fields) {
    MonteCarloResults out;
    out.experiment = fields.identifier("experiment");
    out.seed = fields.number("seed");
    out.trials = fields.number("trials");
    out.task = fields.digest("task");
    out.capture = fields.has("capture") ? file_name(fields.text("capture")) : "";
    const Fields parameters = fields.object("parameters");
    for (const std::string& name : parameters.value->keys)
        out.parameters.emplace_back(name, parameters.at(name.c_str()).text);
    const Fields metrics = fields.object("metrics");
    for (const std::string& name : metrics.value->keys) {
        const Fields metric = metrics.object(name.c_str());
        out.metrics.push_back({name, metric.number_or_null("mean"), metric.number_or_null("lower"),
                               metric.number_or_null("upper"), metric.text("method"),
                               metric.number("samples"), metric.text("meaning")});
    }
    const Fields references = fields.object("references");
    for (const std::string& name : references.value->keys) {
        const Fields reference = references.object(name.c_str());
        out.references.push_back({name, reference.number("value"), reference.text("meaning")});
    }
    return out;
}

} // namespace kvproof::report
