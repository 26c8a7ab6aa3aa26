#include "app/report/read_results.hpp"

#include "lib/error.hpp"
#include "lib/record/file.hpp"
#include "lib/record/sha256.hpp"

#include <filesystem>

namespace kvproof::report {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 30U;
constexpr const char* kinds = "what kvproof verify, check, table lloyd, table separation, probe, certify, "
                              "compare, montecarlo or account "
                              "write with --format json, or the rows of kvproof certify --rows";

/// Takes one file into the results; returns what it is.
std::string take(Results& out, const Fields& fields, const std::string& path) {
    const auto table = [&](const char* name) {
        return fields.has("table") && fields.at("table").kind == JsonValue::Kind::string &&
               fields.at("table").text == name;
    };
    if (fields.has("claims") && fields.has("summary")) {
        if (out.verify)
            throw Error(ErrorCode::bad_file_format,
                        path + ": found a second file of kvproof verify, expected at most one");
        out.verify = read_verify(fields);
        out.verify_folder = std::filesystem::path(path).parent_path().string();
        return "kvproof verify";
    }
    if (fields.has("answers")) {
        const auto answers = read_answers(fields);
        out.answers.insert(out.answers.end(), answers.begin(), answers.end());
        return "kvproof check";
    }
    if (table("lloyd")) {
        out.lloyd.push_back(read_lloyd(fields));
        return "kvproof table lloyd";
    }
    if (table("separation")) {
        out.separations.push_back(read_separation(fields));
        return "kvproof table separation";
    }
    if (fields.has("family") && fields.has("results")) {
        out.probes.push_back(read_probe(fields));
        return "kvproof probe";
    }
    if (fields.has("per_layer")) {
        out.certified.push_back(read_certify(fields));
        return "kvproof certify";
    }
    if (fields.has("capture") && fields.has("rows")) {
        out.compared.push_back(read_compare(fields));
        return "kvproof compare";
    }
    if (fields.has("experiment") && fields.has("metrics")) {
        out.experiments.push_back(read_montecarlo(fields));
        return "kvproof montecarlo";
    }
    if (fields.has("model") && (fields.has("systems") || fields.has("system"))) {
        out.accounts.push_back(read_account(fields));
        return "kvproof account";
    }
    std::string found = std::string(kind_name(fields.value->kind));
    if (fields.value->kind == JsonValue::Kind::object) {
        found += " without a known set of members";
        if (fields.has("cell")) found = "a line of kvproof probe --resume";
        if (fields.has("claims")) found = "claims without verdicts";
    }
    throw Error(ErrorCode::bad_file_format, path + ": found " + found + ", expected " + kinds);
}

} // namespace

Results read_results(const std::vector<std::string>& paths) {
    Results out;
    for (const std::string& path : paths) {
        const std::string text = read_file(path, largest_file);
        const std::string name = file_name(path);
        std::string kind;
        if (text.starts_with("layer,head,position,")) {
            out.observations.push_back(read_certify_rows(text, path));
            kind = "rows of kvproof certify";
        } else if (text.empty()) {
            throw Error(ErrorCode::bad_file_format, path + ": found an empty file, expected " + kinds);
        } else {
            const JsonValue json = parse_json(text, path);
            kind = take(out, {&json, path}, path);
        }
        out.sources.push_back({name, kind, sha256(text)});
    }
    return out;
}

} // namespace kvproof::report
