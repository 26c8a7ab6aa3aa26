// certify and compare as a user runs them: what is refused and how, the rows they write, the same bytes
// whatever the threads, and the JSON contract.
#include "tests/app/process.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

using namespace kvproof::testing_support;
using Json = nlohmann::ordered_json;
using Keys = std::vector<std::string>;

namespace {

const std::filesystem::path& bad() {
    static const std::filesystem::path folder = std::filesystem::path(KVPROOF_SOURCE_DIR) / "tests/data/bad";
    return folder;
}

std::string file(const std::string& name) {
    return (bad() / name).string();
}

std::string control() {
    return file("ok_control.safetensors");
}

/// Exit status 2, one line on stderr with all these parts, nothing on stdout, nothing written.
testing::AssertionResult is_refused(const Keys& arguments, const Keys& parts) {
    const Folder folder;
    const Outcome outcome = run(arguments, folder);
    if (outcome.status != 2)
        return testing::AssertionFailure() << "exit status " << outcome.status << " " << outcome.err;
    if (!outcome.out.empty()) return testing::AssertionFailure() << "on stdout: " << outcome.out;
    if (!outcome.err.starts_with("kvproof: ") || outcome.err.find('\n') != outcome.err.size() - 1)
        return testing::AssertionFailure() << "not one line: " << outcome.err;
    for (const std::string& part : parts)
        if (outcome.err.find(part) == std::string::npos)
            return testing::AssertionFailure() << "no \"" << part << "\" in: " << outcome.err;
    if (!std::filesystem::is_empty(folder.path()))
        return testing::AssertionFailure() << "something was written";
    return testing::AssertionSuccess();
}

TEST(CaptureErrors, every_malformed_file_is_refused_by_name) {
    const Json table = Json::parse(read_all(bad() / "expected.json"));
    int refused = 0;
    for (const Json& row : table) {
        const std::string name = row["file"];
        // one .npy array alone is no capture, sound or not
        if (row["expect"] != "refuse" && !name.ends_with(".npy")) continue;
        ++refused;
        EXPECT_TRUE(
            is_refused({"certify", file(name), "--calibration", "self", "--rows", "rows.csv"}, {file(name)}));
        EXPECT_TRUE(is_refused({"compare", file(name), "--calibration", "self"}, {file(name)}));
        // and as the calibration of a sound one
        EXPECT_TRUE(is_refused({"certify", control(), "--calibration", file(name), "--rows", "rows.csv"},
                               {file(name)}));
    }
    EXPECT_GE(refused, 46);
}

TEST(CaptureErrors, bad_usage_is_refused_in_one_line) {
    const Keys certify = {"certify", control(), "--calibration", "self"};
    const Keys compare = {"compare", control(), "--calibration", "self"};
    const auto with = [](Keys arguments, const Keys& more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const std::vector<std::pair<Keys, Keys>> cases = {
        {{"certify"}, {"CAPTURE"}},
        {{"certify", "missing.safetensors"}, {"missing.safetensors"}},
        {{"certify", "."}, {"."}},
        {{"certify", "missing_q.npy"}, {"missing_q.npy"}},
        {{"certify", control()}, {"--calibration", "self", "readkv:8,4"}},
        {{"compare", control()}, {"--calibration", "self"}},
        {{"certify", control(), "--calibration", "missing.safetensors"}, {"missing.safetensors"}},
        {{"certify", control(), "--calibration", file("head_dim_1.safetensors")},
         {"head_dim_1.safetensors", "d_h = 1", "8"}},
        {{"certify", file("head_dim_80.safetensors"), "--calibration", "self"},
         {"head_dim_80.safetensors", "80", "--transform identity"}},
        {with(certify, {"--reader", "nested:2"}), {"nested:2", "readkv"}},
        {with(certify, {"--reader", "readkv:9,4"}), {"readkv:9,4", "\"9\""}},
        {with(certify, {"--reader", "readkv:4,5"}), {"readkv:4,5", "\"5\""}},
        {with(certify, {"--reader", "readkv:8"}), {"readkv:8"}},
        {with(certify, {"--reader", "two-level:3,8,2,2"}), {"two-level:3,8,2,2", "RK", "from 3 to 8"}},
        {with(certify, {"--reader", "readkv-gpu:8,0.5"}), {"readkv-gpu:8,0.5", "\"0.5\""}},
        {with(certify, {"--reader", "kivi:3"}), {"kivi:3"}},
        {with(certify, {"--reader", "aatc:17"}), {"aatc:17", "0 to 16"}},
        {with(certify, {"--reader", "palu:48,4"}), {"palu:48,4", "48", "multiple of 32"}},
        {with(compare, {"--reader", "palu:32,4"}), {"\"palu\"", "16 channels", "32"}},
        {with(certify, {"--reader", "kvtc:9"}), {"kvtc:9", "\"9\""}},
        {with(certify, {"--reader", "aatc:2,groups=5"}), {"aatc", "5 head groups", "expected a divisor"}},
        {with(certify, {"--reader", "sparq:200,1"}), {"sparq", "200"}},
        {with(compare, {"--reader", "sparq:200,1"}), {"sparq", "200"}},
        {with(compare, {"--reader", "dense", "--reader", "nested:2"}), {"nested:2"}},
        {with(certify, {"--transform", "fourier"}), {"--transform", "fourier"}},
        {with(certify, {"--centre", "median"}), {"--centre", "median"}},
        {with(certify, {"--pool", "token"}), {"--pool", "token"}},
        {with(certify, {"--value-scale", "2"}), {"--value-scale", "2"}},
        {with(certify, {"--layers", "1"}), {"--layers", "\"1\"", "below 1"}},
        {with(certify, {"--layers", "0,0"}), {"--layers", "0,0", "ascending"}},
        {with(certify, {"--layers", "-1"}), {"--layers", "-1"}},
        {with(certify, {"--layers", "0,"}), {"--layers", "0,"}},
        {with(certify, {"--queries", "last:0"}), {"--queries", "last:0"}},
        {with(certify, {"--queries", "every:x"}), {"--queries", "every:x"}},
        {with(certify, {"--queries", "first:2"}), {"--queries", "first:2"}},
        {with(certify, {"--codebook", "missing.json"}), {"missing.json"}},
        {with(certify, {"--threads", "0"}), {"--threads", "0"}},
        {with(certify, {"--format", "csv"}), {"--format", "csv"}},
        {with(compare, {"--rows", "rows.csv"}), {"--rows"}},
        {with(certify, {"--rows", "none/rows.csv"}), {"none/rows.csv"}},
    };
    for (const auto& [arguments, parts] : cases)
        EXPECT_TRUE(is_refused(arguments, parts)) << testing::PrintToString(arguments);
    EXPECT_FALSE(is_refused(certify, {})); // the check can fail
    EXPECT_FALSE(is_refused({"certify", "missing.safetensors"}, {"another"}));
}

struct Certified {
    Outcome outcome;
    std::string rows;
};

Certified certified(Keys options, const std::string& capture = control()) {
    const Folder folder;
    Keys arguments = {"certify", capture, "--calibration", "self", "--rows", "rows.csv"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run(arguments, folder);
    return {outcome, read_all(folder.path() / "rows.csv")};
}

std::vector<Keys> table_of(const std::string& csv) {
    std::vector<Keys> out;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        out.emplace_back();
        line += ','; // every field ends in one
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t comma = line.find(',', at);
            out.back().push_back(line.substr(at, comma - at));
            at = comma + 1;
        }
    }
    return out;
}

TEST(Certify, writes_one_row_an_observation) {
    const Certified run = certified({});
    EXPECT_EQ(run.outcome.status, 0) << run.outcome.err;
    EXPECT_EQ(run.outcome.err, "");
    EXPECT_EQ(
        run.rows.substr(0, run.rows.find('\n')),
        "layer,head,position,tokens,key_bits,value_bits,error_sq,output_sq,logit_error_sq,A_K,A_V,S_K,S_V,"
        "gamma_K,gamma_V,kappa_K,kappa_V,centre_norm_sq,bound,sharp_bound");
    const auto table = table_of(run.rows);
    ASSERT_EQ(table.size(), 1U + 4 * 4);
    std::set<std::string> seen;
    for (std::size_t i = 1; i < table.size(); ++i) {
        const Keys& row = table[i];
        ASSERT_EQ(row.size(), 20U) << i;
        EXPECT_EQ(row[0], "0");
        EXPECT_EQ(row[1], std::to_string((i - 1) % 4));
        EXPECT_EQ(row[2], std::to_string(12 + (i - 1) / 4));
        EXPECT_EQ(row[3], std::to_string(13 + (i - 1) / 4));
        EXPECT_EQ(row[4], "64");                                       // floor(4 G d_h)
        EXPECT_EQ(row[5], std::to_string(4 * 2 * (13 + (i - 1) / 4))); // floor(4 G (p + 1))
        for (std::size_t c = 6; c < 20; ++c) EXPECT_TRUE(std::isfinite(std::stod(row[c]))) << i << " " << c;
        EXPECT_LE(std::stod(row[6]), std::stod(row[19])); // error <= sharp <= bound
        EXPECT_LE(std::stod(row[6]), std::stod(row[18]));
        // gamma S = A
        EXPECT_NEAR(std::stod(row[13]) * std::stod(row[11]) / std::stod(row[9]), 1, 1e-12);
        seen.insert(row[6]);
    }
    EXPECT_EQ(seen.size(), 16U); // no observation twice
}

TEST(Certify, of_a_reader_without_prefixes_leaves_the_certificate_out) {
    const Certified run = certified({"--reader", "kivi:2", "--format", "json"});
    EXPECT_EQ(run.outcome.status, 0) << run.outcome.err;
    const Json json = Json::parse(run.outcome.out);
    EXPECT_FALSE(json["certified"]);
    EXPECT_TRUE(json["tightness"].is_null());
    const auto table = table_of(run.rows);
    ASSERT_EQ(table.size(), 17U);
    for (std::size_t i = 1; i < table.size(); ++i) {
        ASSERT_EQ(table[i].size(), 20U);
        EXPECT_NE(table[i][6], "");
        EXPECT_EQ(table[i][18], "");
    }
}

TEST(Certify, chooses_queries_and_layers) {
    const auto positions = [](const Keys& options) {
        Keys out;
        const auto table = table_of(certified(options).rows);
        for (std::size_t i = 1; i < table.size(); i += 4) out.push_back(table[i][2]);
        return out;
    };
    EXPECT_EQ(positions({}), (Keys{"12", "13", "14", "15"}));
    EXPECT_EQ(positions({"--queries", "last:2"}), (Keys{"14", "15"}));
    EXPECT_EQ(positions({"--queries", "last:9"}), (Keys{"12", "13", "14", "15"}));
    EXPECT_EQ(positions({"--queries", "every:2"}), (Keys{"12", "14"}));
    EXPECT_EQ(positions({"--queries", "every:3", "--layers", "0"}), (Keys{"12", "15"}));
    // a row is the same whichever others are chosen
    const std::string all = certified({}).rows;
    const std::string last = certified({"--queries", "last:1"}).rows;
    EXPECT_TRUE(all.ends_with(last.substr(last.find('\n'))));
}

TEST(Certify, keeps_the_json_contract) {
    const Json json = Json::parse(certified({"--format", "json"}).outcome.out);
    Keys keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    EXPECT_EQ(keys, (Keys{"format",      "capture",   "calibration", "codebook",  "transform",    "seed",
                          "value_scale", "pool",      "shape",       "layers",    "queries",      "notes",
                          "reader",      "centre",    "rigorous",    "certified", "observations", "bits_read",
                          "violations",  "per_layer", "tightness"}));
    EXPECT_EQ(json["format"], 1);
    EXPECT_EQ(json["observations"], 16);
    EXPECT_EQ(json["violations"], 0);
    EXPECT_EQ(json["shape"]["G"], 2);
    EXPECT_EQ(json["shape"]["Tq"], 4);
    EXPECT_NE(json["notes"].dump().find("itself"), std::string::npos); // calibrated on the capture itself
    const Json& layer = json["per_layer"][0];
    for (const char* key : {"layer", "observations", "error_sq", "relative_error", "bound", "sharp_bound",
                            "key_increments", "value_increments", "violations"})
        EXPECT_TRUE(layer.contains(key)) << key;
    EXPECT_EQ(layer["key_increments"]["budget"], 16 * 64);
    EXPECT_EQ(layer["key_increments"]["spent"], 16 * 64);
}

/// The means of the report are those of the rows.
TEST(Certify, reports_what_its_rows_say) {
    const Certified run = certified({"--format", "json", "--reader", "readkv:8,2,1"});
    const Json json = Json::parse(run.outcome.out);
    const auto table = table_of(run.rows);
    double sum = 0;
    double most = 0;
    double bits = 0;
    for (std::size_t i = 1; i < table.size(); ++i) {
        sum += std::stod(table[i][6]);
        most = std::max(most, std::stod(table[i][6]));
        // T spent_K + d_h spent_V once a call, and the layer's calibration and tables with it
        if (i % 4 == 1)
            bits += std::stod(table[i][3]) * std::stod(table[i][4]) + 8 * std::stod(table[i][5]) +
                    4 * 2 * 8 * 16 + 2 * 511 * 32;
    }
    EXPECT_NEAR(json["per_layer"][0]["error_sq"]["mean"].get<double>() / (sum / 16), 1, 1e-12);
    EXPECT_EQ(json["per_layer"][0]["error_sq"]["max"].get<double>(), most);
    EXPECT_EQ(std::stod(json["bits_read"].get<std::string>()), bits);
}

TEST(Captures, give_the_same_bytes_on_any_number_of_threads) {
    for (const char* format : {"text", "json"}) {
        const Certified one = certified({"--threads", "1", "--format", format});
        for (const char* threads : {"2", "5"}) {
            const Certified more = certified({"--threads", threads, "--format", format});
            EXPECT_EQ(one.outcome.out, more.outcome.out);
            EXPECT_EQ(one.rows, more.rows);
        }
        const Folder folder;
        const auto compare = [&](const char* threads) {
            return run({"compare", control(), "--calibration", "self", "--threads", threads, "--format",
                        format},
                       folder)
                .out;
        };
        EXPECT_EQ(compare("1"), compare("2"));
        EXPECT_NE(certified({"--seed", "1", "--format", format}).rows, one.rows); // other signs, other rows
    }
}

Json compared(const std::string& capture, const Keys& more = {}) {
    const Folder folder;
    Keys arguments = {"compare", capture, "--format", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::ranges::find(more, "--calibration") == more.end())
        arguments.insert(arguments.end(), {"--calibration", "self"});
    const Outcome outcome = run(arguments, folder);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? Json::parse(outcome.out) : Json();
}

TEST(Compare, keeps_the_json_contract) {
    const Json json = compared(control());
    EXPECT_EQ(json["capture"], control());
    ASSERT_GE(json["rows"].size(), 15U);
    for (const Json& row : json["rows"]) {
        for (const char* key :
             {"reader", "relative_error", "median", "max", "reads_percent", "capacity_percent"})
            EXPECT_TRUE(row.contains(key)) << row["reader"] << key;
        EXPECT_GE(row["max"], row["median"]);
    }
    EXPECT_EQ(json["rows"][0]["reader"], "dense");
    EXPECT_EQ(json["rows"][0]["relative_error"], 0);
    EXPECT_EQ(json["rows"][0]["reads_percent"], 100);
    const Json two = compared(control(), {"--reader", "kivi:4", "--reader", "full:8"});
    ASSERT_EQ(two["rows"].size(), 2U);
    EXPECT_EQ(two["rows"][0]["reader"], "kivi:4"); // in the order they were asked for
}

/// AATC needs the projections: named, it is refused without them; by default it is left out, and that is
/// said. Of the captures that ship the one to calibrate on has them.
TEST(Compare, leaves_out_what_the_calibration_cannot_teach) {
    const auto shipped = std::filesystem::path(KVPROOF_SOURCE_DIR) / "tests/data/captures";
    const std::string test = (shipped / "byte64_test.safetensors").string();
    const std::string calibration = (shipped / "byte64_calib.safetensors").string();
    const auto names = [](const Json& json) {
        std::set<std::string> out;
        for (const Json& row : json["rows"]) out.insert(row["reader"]);
        return out;
    };
    const std::vector<std::string> systems = {"aatc:2.5", "aatc:4", "aatc-var:2.5"};
    const Keys few = {"--queries", "last:1", "--layers", "3"};
    const Json without = compared(test, few);
    const Json with_all =
        compared(test, {"--calibration", calibration, "--queries", "last:1", "--layers", "3"});
    for (const std::string& name : systems) {
        EXPECT_FALSE(names(without).contains(name));
        const Json& reasons = without["left_out"];
        EXPECT_TRUE(std::ranges::any_of(reasons, [&](const Json& line) {
            return std::string(line).starts_with(name + ": " + test + ": tensor \"layers.0.x\"");
        })) << reasons;
        EXPECT_TRUE(names(with_all).contains(name)) << name;
        for (const char* verb : {"compare", "certify"})
            EXPECT_TRUE(is_refused({verb, test, "--calibration", "self", "--reader", name},
                                   {test, "\"layers.0.x\"", "expected x, wk, wv and wo", "\"aatc"}));
    }
    for (const char* name : {"kvtc:2", "kvtc:4", "palu:96,4"})
        EXPECT_TRUE(names(with_all).contains(name)) << name;
    EXPECT_EQ(with_all["left_out"].size(), 0U);
}

/// AATC shares one budget out over all layers of the model, whichever of them are measured: layers one by one
/// keep what all of them together do. Each by itself, with a budget of its own, would keep as much as
/// another.
TEST(Compare, measured_layers_have_the_bits_that_all_layers_share) {
    const auto shipped = std::filesystem::path(KVPROOF_SOURCE_DIR) / "tests/data/captures";
    const auto row = [&](const std::string& layers) {
        return compared((shipped / "byte64_test.safetensors").string(),
                        {"--calibration", (shipped / "byte64_calib.safetensors").string(), "--reader",
                         "aatc:2.5", "--queries", "last:1", "--layers", layers})["rows"][0];
    };
    std::set<long> of_layers;
    long sum = 0;
    for (const char* const layer : {"0", "1", "2", "3"}) {
        const long bits = std::stol(row(layer)["bits_stored"].get<std::string>());
        of_layers.insert(bits);
        sum += bits;
    }
    EXPECT_EQ(sum, std::stol(row("all")["bits_stored"].get<std::string>()));
    EXPECT_GT(of_layers.size(), 1U);
}

/// The errors of compare and certify are those of the same calls: both print ||o - o^||^2.
TEST(Compare, agrees_with_certify) {
    const Json row = compared(control(), {"--reader", "readkv:8,4"})["rows"][0];
    const auto table = table_of(certified({}).rows);
    double sum = 0;
    for (std::size_t i = 1; i < table.size(); ++i) sum += std::stod(table[i][6]) / std::stod(table[i][7]);
    EXPECT_NEAR(row["relative_error"].get<double>() / (sum / 16), 1, 1e-9);
}

/// Story: one key of 3e38 left logits of which nothing is known; certify ended in "softmax: logit 0 is -nan".
TEST(Captures, with_one_huge_key_give_finite_numbers_and_a_note) {
    const std::string huge = file("value_huge_key.safetensors");
    const Certified run = certified({"--format", "json"}, huge);
    EXPECT_EQ(run.outcome.status, 0) << run.outcome.err;
    EXPECT_TRUE(run.outcome.err.starts_with("kvproof: note: " + huge)) << run.outcome.err;
    const auto table = table_of(run.rows);
    ASSERT_EQ(table.size(), 17U);
    for (std::size_t i = 1; i < table.size(); ++i)
        for (std::size_t c = 6; c < 18; ++c)
            EXPECT_TRUE(std::isfinite(std::stod(table[i][c]))) << i << " " << c;
    for (std::size_t i = 1; i < table.size(); ++i) EXPECT_TRUE(std::isfinite(std::stod(table[i][19]))) << i;
    const Json beside = compared(huge); // a loop over a part of a temporary would outlive it
    for (const Json& row : beside["rows"])
        for (const char* key : {"relative_error", "median", "max"}) EXPECT_TRUE(row[key].is_number()) << row;
}

TEST(Captures, of_odd_but_valid_sizes_are_taken) {
    for (const char* name : {"head_dim_1.safetensors", "one_token.safetensors"}) {
        const Certified run = certified({}, file(name));
        EXPECT_EQ(run.outcome.status, 0) << name << run.outcome.err;
        const Json beside = compared(file(name));
        for (const Json& row : beside["rows"]) EXPECT_TRUE(row["relative_error"].is_number()) << row;
    }
    EXPECT_EQ(certified({"--transform", "identity"}, file("head_dim_80.safetensors")).outcome.status, 0);
}

} // namespace
