// kvproof table: certified tables of the Lloyd code and of the separation theorem.

#include "app/verb.hpp"
#include "lib/codec/codebook_export.hpp"
#include "lib/codec/lloyd_tree.hpp"
#include "lib/codec/pointwise_error.hpp"
#include "lib/error.hpp"
#include "lib/exact/decimal.hpp"
#include "proofs/readkv/separation.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace kvproof::app {
namespace {

using Json = nlohmann::ordered_json;

struct LloydOptions {
    CommonOptions common;
    int depth = default_depth;
    int digits = 30;
};

struct SeparationOptions {
    CommonOptions common;
    long dimension = 128;
    long probes = 256;
    int digits = 12;
};

/// The first `digits` significant digits, all of them certain; exact numbers in full.
std::string certain_digits(const Interval& x, int digits) {
    if (shared_digits(x, digits) < digits)
        throw Error(ErrorCode::precision_exhausted, "an enclosure is too wide for the digits asked for");
    return shared_decimal(x, digits);
}

Json strings(const std::vector<Interval>& values, int digits) {
    Json out = Json::array();
    for (const Interval& value : values) out.push_back(certain_digits(value, digits));
    return out;
}

Json lloyd_json(const LloydTree& tree, int digits) {
    Json levels = Json::array();
    for (int t = 0; t <= tree.depth(); ++t) {
        const LloydLevel& level = tree.levels[t];
        levels.push_back({{"t", t},
                          {"distortion", certain_digits(level.distortion, digits)},
                          {"gain", level.gain ? Json(certain_digits(*level.gain, digits)) : Json(nullptr)},
                          {"epsilon", certain_digits(pointwise_error(tree.codebook, t).value, digits)},
                          {"boundaries", strings(tree.codebook.boundaries[t], digits)},
                          {"centroids", strings(tree.codebook.centroids[t], digits)}});
    }
    return {{"format", 1}, {"table", "lloyd"}, {"depth", tree.depth()}, {"levels", std::move(levels)}};
}

std::string lloyd_text(const Json& table, int digits) {
    const int width = digits + 4;
    std::string out =
        fmt::format("{:>2}  {:<{}}  {:<{}}  {}\n", "t", "D(t)", width, "Delta_t", width, "epsilon_t");
    for (const Json& level : table["levels"])
        out += fmt::format("{:>2}  {:<{}}  {:<{}}  {}\n", level["t"].get<int>(),
                           level["distortion"].get<std::string>(), width,
                           level["gain"].is_null() ? "-" : level["gain"].get<std::string>(), width,
                           level["epsilon"].get<std::string>());
    const auto list = [&](const char* name, const Json& values) {
        out += fmt::format("{}, depth {}:\n", name, table["depth"].get<int>());
        for (const Json& value : values) out += "  " + value.get<std::string>() + "\n";
    };
    list("boundaries", table["levels"].back()["boundaries"]);
    list("centroids", table["levels"].back()["centroids"]);
    return out;
}

/// Raises the accuracy until every number of the table has its digits: a value next to a digit's edge needs
/// more.
Json certified_lloyd_json(int depth, int digits) {
    Bits accuracy = digits * 10L / 3 + 16;
    for (int attempt = 0;; ++attempt, accuracy += 64) {
        try {
            return lloyd_json(lloyd_tree(depth, accuracy), digits);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::precision_exhausted || attempt == 4) throw;
        }
    }
}

int table_lloyd(const LloydOptions& options) {
    const std::string& format = options.common.format;
    if (format == "text" || format == "json") {
        const Json table = certified_lloyd_json(options.depth, options.digits);
        print(format == "json" ? table.dump(2) + "\n" : lloyd_text(table, options.digits));
        return 0;
    }
    const Codebook<float> codebook = float32_codebook(options.depth);
    if (format == "csv") print(codebook_to_csv(codebook));
    if (format == "header") print(codebook_to_c_header(codebook));
    if (format == "npy") print(codebook_to_npy(codebook));
    if (format == "safetensors") print(codebook_to_safetensors(codebook));
    return 0;
}

const char* certified_text(Truth certified) {
    return certified == Truth::yes ? "yes" : certified == Truth::no ? "no" : "unknown";
}

int table_separation(const SeparationOptions& options) {
    const CertifiedQuantities quantities;
    const int digits = options.digits;
    const auto rows = separations(quantities, options.dimension, options.probes, digits * 10L / 3 + 64);
    if (options.common.format == "json") {
        Json lines = Json::array();
        for (const Separation& row : rows)
            lines.push_back({{"k", row.k},
                             {"L", row.depth},
                             {"converse", certain_digits(row.converse, digits)},
                             {"readkv", certain_digits(row.achieved, digits)},
                             {"certified", certified_text(row.certified)},
                             {"factor", certain_digits(row.factor, digits)}});
        const Json table = {{"format", 1},
                            {"table", "separation"},
                            {"dimension", options.dimension},
                            {"probes", options.probes},
                            {"rows", std::move(lines)}};
        print(table.dump(2) + "\n");
        return 0;
    }
    const bool csv = options.common.format == "csv";
    std::string out = csv ? "k,L,converse,readkv,certified,factor\n"
                          : fmt::format("d = {}, r = {}; both coefficients are d times a squared error\n"
                                        "{:>5}  {:>2}  {:<{}}  {:<{}}  {:<9}  {}\n",
                                        options.dimension, options.probes, "k", "L",
                                        "query-independent >=", std::max(digits + 6, 20),
                                        "ReadKV <=", digits + 6, "certified", "factor");
    for (const Separation& row : rows)
        out += csv ? fmt::format("{},{},{},{},{},{}\n", row.k, row.depth,
                                 certain_digits(row.converse, digits), certain_digits(row.achieved, digits),
                                 certified_text(row.certified), certain_digits(row.factor, digits))
                   : fmt::format("{:>5}  {:>2}  {:<{}}  {:<{}}  {:<9}  {}\n", row.k, row.depth,
                                 certain_digits(row.converse, digits), std::max(digits + 6, 20),
                                 certain_digits(row.achieved, digits), digits + 6,
                                 certified_text(row.certified), certain_digits(row.factor, digits));
    print(out);
    return 0;
}

void add_lloyd(CLI::App& table, Status& status) {
    const auto options = std::make_shared<LloydOptions>();
    CLI::App* verb =
        table.add_subcommand("lloyd", "The progressive Gaussian Lloyd tree, every digit certified");
    verb->add_option("--depth", options->depth, "Depth W of the tree")
        ->check(CLI::Range(0, deepest_tree))
        ->capture_default_str();
    verb->add_option("--digits", options->digits, "Correct significant digits (text and json)")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    add_common_options(*verb, options->common, {"text", "json", "csv", "header", "npy", "safetensors"});
    verb->footer("csv, header, npy and safetensors hold the tree rounded once to binary32.\n"
                 "Example: the depth-2 quantiser to ten digits\n"
                 "  kvproof table lloyd --depth 2 --digits 10");
    verb->callback([options, &status] { status = table_lloyd(*options); });
}

void add_separation(CLI::App& table, Status& status) {
    const auto options = std::make_shared<SeparationOptions>();
    CLI::App* verb = table.add_subcommand("separation", "Where ReadKV Theorem 1 certifies strict separation");
    verb->add_option("--dimension", options->dimension, "Dimension d of keys and queries")
        ->check(CLI::Range(1L, 65536L))
        ->capture_default_str();
    verb->add_option("--probes", options->probes, "Probes r, at most 8 d")
        ->check(CLI::Range(1L, 524288L))
        ->capture_default_str();
    verb->add_option("--digits", options->digits, "Correct significant digits")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    add_common_options(*verb, options->common, {"text", "json", "csv"});
    verb->footer(
        "For each sparsity k: the deepest admissible L, d times the converse 2^(1-2r/d)/(pi e d), d times\n"
        "ReadKV's bound k eps_L^2/d, and whether the first exceeds the second.\n"
        "Example: the instance of the paper is the line k = 32 of\n"
        "  kvproof table separation --dimension 128 --probes 256");
    verb->callback([options, &status] {
        if (options->probes > 8 * options->dimension)
            throw Error(ErrorCode::bad_option,
                        "--probes: found " + std::to_string(options->probes) +
                            ", expected at most 8 d = " + std::to_string(8 * options->dimension));
        status = table_separation(*options);
    });
}

} // namespace

void add_table(CLI::App& app, Status& status) {
    CLI::App* table = app.add_subcommand("table", "Print certified tables");
    table->require_subcommand(1);
    table->footer("Example: what the tree of depth 8 loses at each depth\n  kvproof table lloyd --digits 12");
    add_lloyd(*table, status);
    add_separation(*table, status);
}

} // namespace kvproof::app
