// kvproof account: reads and capacity of every system for a model and a run.

#include "app/verb.hpp"
#include "lib/account/percent.hpp"
#include "lib/error.hpp"
#include "lib/exact/decimal.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace kvproof::app {
namespace {

using Json = nlohmann::ordered_json;

struct AccountOptions {
    CommonOptions common;
    std::string model;
    std::vector<std::string> systems = {"all"};
    std::string run = "causal:2048";
    long capacity_at = 0; // 0: the run's reference
    int digits = 12;
};

/// The account of one system.
struct Line {
    std::string system;
    Cost read;
    Cost stored;
    Rational reads_percent;
    Rational capacity_percent;
};

/// What all lines have in common, and the systems that do not fit the model with the reason.
struct Account {
    ModelGeometry model;
    std::string run;
    long capacity_at = 0;
    Cost dense_read;
    Cost dense_stored;
    std::vector<Line> lines;
    std::vector<std::string> left_out;
};

Line account_of(const System& system, const ModelGeometry& model, const AttentionRun& run, long capacity_at) {
    return {system.name, model_read_bits(system, model, run), model_capacity_bits(system, model, capacity_at),
            reads_percent(system, model, run), capacity_percent(system, model, capacity_at)};
}

Account account(const AccountOptions& options) {
    Account out;
    out.model = parse_model(options.model);
    out.run = options.run;
    const AttentionRun run = parse_run(options.run);
    out.capacity_at = options.capacity_at == 0 ? run.reference : options.capacity_at;
    out.dense_read = model_read_bits(System{}, out.model, run);
    out.dense_stored = model_capacity_bits(System{}, out.model, out.capacity_at);
    for (const std::string& name : options.systems) {
        if (name != "all") {
            out.lines.push_back(account_of(parse_system(name), out.model, run, out.capacity_at));
            continue;
        }
        for (const std::string& each : paper_systems()) {
            // What the user did not name cannot be a mistake of the user: say so and go on.
            try {
                out.lines.push_back(account_of(parse_system(each), out.model, run, out.capacity_at));
            } catch (const Error& error) {
                if (error.code() != ErrorCode::bad_option) throw;
                out.left_out.emplace_back(error.what());
            }
        }
    }
    return out;
}

std::string decimal(const Rational& value, int digits) {
    constexpr long bits_beyond = 64; // enough for the digits that both ends share, but at a digit's very edge
    return shared_decimal(Interval(value, digits * 4L + bits_beyond), digits);
}

Json parts_json(const Cost& cost) {
    Json out = Json::object();
    for (const CostPart part : all_parts()) out[std::string(part_name(part))] = cost[part].str();
    out["total"] = cost.total().str();
    return out;
}

Json line_json(const Account& account, const Line& line, int digits) {
    return {{"model", account.model.name},
            {"system", line.system},
            {"run", account.run},
            {"capacity_at", account.capacity_at},
            {"reads_percent", decimal(line.reads_percent, digits)},
            {"reads_percent_exact", to_string(line.reads_percent)},
            {"capacity_percent", decimal(line.capacity_percent, digits)},
            {"capacity_percent_exact", to_string(line.capacity_percent)},
            {"parts",
             {{"reads", parts_json(line.read)},
              {"dense_reads", account.dense_read.total().str()},
              {"capacity", parts_json(line.stored)},
              {"dense_capacity", account.dense_stored.total().str()}}}};
}

/// One system asked for by its name is one object; else a list of such objects.
std::string account_json(const Account& account, const AccountOptions& options) {
    if (options.systems.size() == 1 && options.systems.front() != "all") {
        Json one = {{"format", 1}};
        one.update(line_json(account, account.lines.front(), options.digits));
        return one.dump(2) + "\n";
    }
    Json lines = Json::array();
    for (const Line& line : account.lines) lines.push_back(line_json(account, line, options.digits));
    const Json out = {{"format", 1},
                      {"model", account.model.name},
                      {"run", account.run},
                      {"capacity_at", account.capacity_at},
                      {"systems", std::move(lines)},
                      {"left_out", account.left_out}};
    return out.dump(2) + "\n";
}

std::string account_csv(const Account& account, int digits) {
    std::string out = "model,system,run,capacity_at,reads_percent,reads_percent_exact,capacity_percent,"
                      "capacity_percent_exact";
    for (const char* side : {"reads", "capacity"}) {
        for (const CostPart part : all_parts()) out += fmt::format(",{}_{}", side, part_name(part));
        out += fmt::format(",{}_total", side);
    }
    out += "\n";
    for (const Line& line : account.lines) {
        // Names of models, systems and runs hold commas, never quotes.
        out += fmt::format("\"{}\",\"{}\",\"{}\",{},{},{},{},{}", account.model.name, line.system,
                           account.run, account.capacity_at, decimal(line.reads_percent, digits),
                           to_string(line.reads_percent), decimal(line.capacity_percent, digits),
                           to_string(line.capacity_percent));
        for (const Cost* cost : {&line.read, &line.stored}) {
            for (const CostPart part : all_parts()) out += "," + (*cost)[part].str();
            out += "," + cost->total().str();
        }
        out += "\n";
    }
    return out;
}

/// The parts of one system, those that it has.
std::string parts_text(const Account& account, const Line& line) {
    std::string out = fmt::format("\n{:<12}  {:>24}  {:>24}\n", "bits", "read", "retained");
    const auto row = [&out](std::string_view name, const Integer& read, const Integer& stored) {
        if (read != 0 || stored != 0)
            out += fmt::format("{:<12}  {:>24}  {:>24}\n", name, read.str(), stored.str());
    };
    for (const CostPart part : all_parts()) row(part_name(part), line.read[part], line.stored[part]);
    row("total", line.read.total(), line.stored.total());
    row("Dense", account.dense_read.total(), account.dense_stored.total());
    return out;
}

std::string account_text(const Account& account, int digits) {
    const LayerGeometry& layer = account.model.layer;
    std::size_t name_width = 6;
    for (const Line& line : account.lines) name_width = std::max(name_width, line.system.size());
    std::string out = fmt::format("{}: {} layers, {} KV heads of {} channels, {} query heads; reads over {}, "
                                  "capacity at {} tokens; percent of Dense\n{:<{}}  {:<{}}  {}\n",
                                  account.model.name, account.model.layers, layer.kv_heads, layer.head_dim,
                                  layer.query_heads, account.run, account.capacity_at, "system", name_width,
                                  "reads", digits + 1, "capacity");
    for (const Line& line : account.lines)
        out +=
            fmt::format("{:<{}}  {:<{}}  {}\n", line.system, name_width, decimal(line.reads_percent, digits),
                        digits + 1, decimal(line.capacity_percent, digits));
    for (const std::string& reason : account.left_out) out += "left out: " + reason + "\n";
    if (account.lines.size() == 1) out += parts_text(account, account.lines.front());
    return out;
}

int run_account(const AccountOptions& options) {
    const Account result = account(options);
    const std::string& format = options.common.format;
    if (format == "json") print(account_json(result, options));
    if (format == "csv") print(account_csv(result, options.digits));
    if (format == "text") print(account_text(result, options.digits));
    return 0;
}

} // namespace

void add_account(CLI::App& app, Status& status) {
    const auto options = std::make_shared<AccountOptions>();
    CLI::App* verb = app.add_subcommand("account", "Account for what each system reads and retains");
    std::string names;
    for (const ModelGeometry& model : named_models()) names += (names.empty() ? "" : ", ") + model.name;
    verb->add_option("model", options->model,
                     names + "; or L,G,H,d_h: layers, KV heads, query heads, head dimension")
        ->required();
    verb->add_option(
            "--system", options->systems,
            "A reader name such as readkv:8,4 or kivi:2+protect, may be repeated; all: every system of "
            "ReadKV's tables and controls")
        ->capture_default_str();
    verb->add_option(
            "--run", options->run,
            "causal:T, calls at 1..T tokens; or answer:N,G, a G-token answer after a dense prefill of N")
        ->capture_default_str();
    verb->add_option("--capacity-at", options->capacity_at,
                     "Cache length of the capacity; default: the T or the N of the run")
        ->check(CLI::Range(1L, 1'000'000'000L));
    verb->add_option("--digits", options->digits,
                     "Significant digits, cut, not rounded; exact fractions beside")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    add_common_options(*verb, options->common, {"text", "json", "csv"});
    verb->footer(
        "Percent of Dense, 16 bits a scalar. Systems: dense, readkv:W,R, readkv:W,RK,RV, full:W, uniform:R,\n"
        "calibration:W,RK,RV, two-level:LOW,W,RK,RV[,keys|values|both], readkv-gpu:W,R, lloyd2, kivi:2, "
        "kivi:4,\n"
        "turboquant, sparq:r,k, sparq-nested:r,k, kvquant:BITS and palu:RANK,BITS (their closed forms are\n"
        "ours, not a paper's), aatc:BITS and aatc-var:BITS, with ,groups=N for N head groups; kvtc:BITS has\n"
        "none. +protect keeps the first two and last two layers dense. What calibration and decoder tables\n"
        "weigh is inferred from the printed digits of ReadKV's Tables 2, 6 and 8.\n"
        "Example: a column of ReadKV's Table 2\n"
        "  kvproof account qwen2.5-7b --run causal:2048 --digits 5\n"
        "Example: the parts of one system's bits\n"
        "  kvproof account qwen2.5-7b --system readkv:8,4 --run answer:7500,24 --format json");
    verb->callback([options, &status] { status = run_account(*options); });
}

} // namespace kvproof::app
