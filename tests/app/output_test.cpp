// What the commands print: golden texts, the JSON contract key by key, and the same bytes whatever the
// threads, the locale and the day.
#include "tests/app/process.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace kvproof::testing_support;
using Json = nlohmann::ordered_json;

namespace {

/// Runs a command that must succeed quietly.
std::string output_of(const std::vector<std::string>& arguments,
                      const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    const Folder folder;
    const Outcome outcome = run(arguments, folder, environment);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, ""); // stderr is no terminal here: no progress either
    return outcome.out;
}

std::vector<std::string> keys_of(const Json& object) {
    std::vector<std::string> out;
    for (const auto& [key, value] : object.items()) out.push_back(key);
    return out;
}

using Keys = std::vector<std::string>;

TEST(Output, of_table_lloyd) {
    EXPECT_EQ(output_of({"table", "lloyd", "--depth", "2", "--digits", "10"}),
              " t  D(t)            Delta_t         epsilon_t\n"
              " 0  1               -               1\n"
              " 1  0.3633802276    0.6366197723    0.7978845608\n"
              " 2  0.1174818478    0.2458983798    0.5288187869\n"
              "boundaries, depth 2:\n"
              "  -0.9815988215\n"
              "  0\n"
              "  0.9815988215\n"
              "centroids, depth 2:\n"
              "  -1.510417608\n"
              "  -0.4527800346\n"
              "  0.4527800346\n"
              "  1.510417608\n");
}

TEST(Output, of_account) {
    EXPECT_EQ(
        output_of(
            {"account", "qwen2.5-7b", "--system", "readkv:8,4", "--run", "causal:2048", "--digits", "6"}),
        "qwen2.5-7b: 28 layers, 4 KV heads of 128 channels, 28 query heads; reads over causal:2048, capacity "
        "at 2048 tokens; percent of Dense\n"
        "system      reads    capacity\n"
        "readkv:8,4  25.3900  50.1011\n"
        "\n"
        "bits                              read                  retained\n"
        "payload                   240635609088                 469762048\n"
        "calibration                 1879048192                    917504\n"
        "tables                      1875378176                     32704\n"
        "total                     244390035456                 470712256\n"
        "Dense                     962542436352                 939524096\n");
    const std::string all = output_of({"account", "4,2,4,16", "--run", "answer:100,5"});
    for (const char* part :
         {"capacity at 100 tokens", "\nturboquant+protect", "left out: system \"sparq:32,128\""})
        EXPECT_NE(all.find(part), std::string::npos) << part;
    EXPECT_EQ(all.find("\nsparq:32,128"), std::string::npos);
}

TEST(Output, of_account_as_json_keeps_the_contract) {
    const Json one = Json::parse(output_of({"account", "qwen2.5-7b", "--system", "readkv:8,4", "--run",
                                            "answer:7500,24", "--capacity-at", "4096", "--format", "json"}));
    EXPECT_EQ(keys_of(one),
              (Keys{"format", "model", "system", "run", "capacity_at", "reads_percent", "reads_percent_exact",
                    "capacity_percent", "capacity_percent_exact", "parts"}));
    EXPECT_EQ(one["capacity_at"], 4096);
    EXPECT_EQ(one["capacity_percent"], "50.0505685806");
    EXPECT_EQ(keys_of(one["parts"]), (Keys{"reads", "dense_reads", "capacity", "dense_capacity"}));
    EXPECT_EQ(keys_of(one["parts"]["reads"]), (Keys{"payload", "metadata", "outliers", "residual", "probes",
                                                    "calibration", "tables", "mean_state", "total"}));
    EXPECT_EQ(one["parts"]["capacity"]["tables"], "32704"); // once for all 28 layers
    const Json two = Json::parse(output_of(
        {"account", "qwen2.5-7b", "--system", "kivi:2", "--system", "lloyd2+protect", "--format", "json"}));
    EXPECT_EQ(keys_of(two), (Keys{"format", "model", "run", "capacity_at", "systems", "left_out"}));
    EXPECT_EQ(two["systems"][1]["system"], "lloyd2+protect");
    Keys of_system = keys_of(one);
    of_system.erase(of_system.begin());
    EXPECT_EQ(keys_of(two["systems"][0]), of_system);
}

TEST(Output, of_account_as_csv_names_each_part) {
    const std::string csv = output_of({"account", "4,2,4,16", "--system", "kivi:2", "--format", "csv"});
    EXPECT_EQ(csv.substr(csv.find('\n') + 1),
              "\"4,2,4,16\",\"kivi:2\",\"causal:2048\",2048,28.9725933382,633225/21856,26.7578125,3425/128,"
              "975421440,723763200,0,790757376,0,0,0,0,2489942016,983040,737280,0,524288,0,0,0,0,2244608\n");
    const auto fields = [](std::string line) { // outside quotes
        line = line.substr(0, line.find('\n'));
        bool quoted = false;
        return std::ranges::count_if(line, [&quoted](char c) {
            quoted ^= c == '"';
            return c == ',' && !quoted;
        });
    };
    EXPECT_EQ(fields(csv), fields(csv.substr(csv.find('\n') + 1)));
}

TEST(Output, of_claims) {
    EXPECT_EQ(output_of({"claims", "readkv.thm1.coefficient"}),
              "readkv.thm1.coefficient\n"
              "  ReadKV, Theorem 1, E.1.1; scope: exact\n"
              "  1/(8 pi e) > 0.01463\n"
              "  formula: 1/(8*pi*e) > 1463/100000\n"
              "  decided by: const\n"
              "  recorded: proved\n"
              "  Coq proof: proofs/coq/Theorem1.v:coefficient\n");
    EXPECT_EQ(output_of({"claims", "readkv.thm1.region"}).find("Coq proof"), std::string::npos);
}

TEST(Output, of_verify) {
    EXPECT_EQ(output_of({"verify", "readkv.thm1.coefficient"}),
              "id                       verdict     slack           value\n"
              "readkv.thm1.coefficient  proved      1.00050976      0.014637457881079790172\n"
              "\n"
              "1 claims: 1 proved, 0 refuted, 0 supported, 0 undecided; 0 differ from the record\n");
    const std::string refuted = output_of({"verify", "readkv.lemma7.gain.1.*"});
    for (const char* part : {"Refuted:", "fails: lloyd.gain.1 < 2546479/4000000", "left: 0.63661977236758134",
                             "3 claims: 1 proved, 2 refuted, 0 supported, 0 undecided; 0 differ"})
        EXPECT_NE(refuted.find(part), std::string::npos) << part;
}

/// Among other claims the audit's rows are one line of the table; asked for alone they are listed.
TEST(Output, of_verify_sums_up_the_audit) {
    const std::string both =
        output_of({"verify", "readkv.thm1.coefficient", "paper.audit.readkv.text.E.1.1.*"});
    EXPECT_NE(
        both.find(
            "paper.audit.*            5 sentences about printed numbers: 5 proved, 0 refuted, 0 left open"),
        std::string::npos)
        << both;
    EXPECT_EQ(both.find("paper.audit.readkv.text.E.1.1.square"), std::string::npos) << both;
    EXPECT_NE(both.find("6 claims: 6 proved"), std::string::npos) << both;
    const std::string alone = output_of({"verify", "paper.audit.readkv.text.E.1.1.*"});
    EXPECT_NE(alone.find("paper.audit.readkv.text.E.1.1.square"), std::string::npos) << alone;
    EXPECT_EQ(alone.find("sentences about printed numbers"), std::string::npos) << alone;
}

TEST(Output, of_verify_as_json_keeps_the_contract) {
    const Json json = Json::parse(
        output_of({"verify", "readkv.lemma7.gain.1.*", "readkv.eq4.quantisers.fine", "--format", "json"}));
    EXPECT_EQ(keys_of(json), (Keys{"format", "kvproof", "claims", "summary"}));
    EXPECT_EQ(keys_of(json["summary"]), (Keys{"proved", "refuted", "supported", "undecided"}));
    ASSERT_EQ(json["claims"].size(), 4U);
    for (const Json& claim : json["claims"]) {
        EXPECT_EQ(keys_of(claim),
                  (Keys{"id", "reference", "statement", "scope", "verdict", "why", "recorded", "rule",
                        "enclosure", "slack", "witness", "cases", "bits", "certificate", "sha256", "note"}));
        if (!claim["enclosure"].is_null()) {
            EXPECT_EQ(keys_of(claim["enclosure"]), (Keys{"lower", "upper"}));
            EXPECT_TRUE(claim["enclosure"]["lower"].is_string());
        }
        EXPECT_TRUE(claim["slack"].is_null() || claim["slack"].is_string());
        EXPECT_TRUE(claim["witness"].is_object());
        EXPECT_TRUE(claim["cases"].is_number_unsigned() && claim["bits"].is_number_integer());
    }
    EXPECT_EQ(json["claims"][0]["verdict"], "proved");
    EXPECT_EQ(json["claims"][1]["verdict"], "refuted");
    EXPECT_EQ(json["claims"][3]["why"], "effort");
    EXPECT_EQ(json["summary"]["refuted"], 2);
}

TEST(Output, of_verify_holds_seconds_only_where_asked) {
    const std::vector<std::string> plain = {"verify", "readkv.thm1.coefficient", "--format", "json"};
    std::vector<std::string> timed = plain;
    timed.emplace_back("--timings");
    EXPECT_FALSE(Json::parse(output_of(plain))["claims"][0].contains("seconds"));
    EXPECT_TRUE(Json::parse(output_of(timed))["claims"][0]["seconds"].is_number());
}

TEST(Output, of_table_lloyd_as_json_keeps_the_contract) {
    const Json json =
        Json::parse(output_of({"table", "lloyd", "--depth", "3", "--digits", "40", "--format", "json"}));
    EXPECT_EQ(keys_of(json), (Keys{"format", "table", "depth", "levels"}));
    EXPECT_EQ(json["depth"], 3);
    ASSERT_EQ(json["levels"].size(), 4U);
    for (std::size_t t = 0; t <= 3; ++t) {
        const Json& level = json["levels"][t];
        EXPECT_EQ(keys_of(level), (Keys{"t", "distortion", "gain", "epsilon", "boundaries", "centroids"}));
        EXPECT_EQ(level["t"], t);
        EXPECT_EQ(level["boundaries"].size(), (std::size_t{1} << t) - 1);
        EXPECT_EQ(level["centroids"].size(), std::size_t{1} << t);
        EXPECT_EQ(level["gain"].is_null(), t == 0);
    }
    EXPECT_EQ(json["levels"][1]["gain"], "0.6366197723675813430755350534900574481378"); // 2/pi
    EXPECT_EQ(json["levels"][1]["centroids"][1], "0.7978845608028653558798921198687637369517");
}

TEST(Output, of_table_separation) {
    const Json json = Json::parse(output_of({"table", "separation", "--format", "json"}));
    EXPECT_EQ(keys_of(json), (Keys{"format", "table", "dimension", "probes", "rows"}));
    const Json& row = json["rows"][31];
    EXPECT_EQ(keys_of(row), (Keys{"k", "L", "converse", "readkv", "certified", "factor"}));
    EXPECT_EQ(row["k"], 32);
    EXPECT_EQ(row["L"], 8);
    EXPECT_EQ(row["certified"], "yes");
    EXPECT_EQ(row["factor"], "4.90765905343");
    const std::string csv = output_of({"table", "separation", "--format", "csv"});
    EXPECT_TRUE(csv.starts_with("k,L,converse,readkv,certified,factor\n1,8,"));
    EXPECT_EQ(std::ranges::count(csv, '\n'), 129);
}

/// Neither threads nor locale nor repetition change a byte of what is printed or written.
TEST(Output, is_the_same_in_every_run) {
    const auto printed_and_written = [](const std::vector<std::string>& more, const std::string& locale) {
        const Folder folder;
        std::vector<std::string> arguments = {"verify", "readkv.lemma7.*", "readkv.thm2.*", "--format",
                                              "json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments, folder, {{"LC_ALL", locale}, {"LANG", locale}});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_NE(outcome.out, "");
        EXPECT_EQ(read_all(folder / "out/results.json"), outcome.out);
        return outcome.out + read_all(folder / "out/manifest.json");
    };
    const std::string first = printed_and_written({}, "C");
    EXPECT_EQ(printed_and_written({}, "C"), first);
    EXPECT_EQ(printed_and_written({"--threads", "1"}, "C"), first);
    EXPECT_EQ(printed_and_written({"--threads", "8"}, "C"), first);
    for (const char* comma : {"de_DE.UTF-8", "fr_FR.UTF-8"}) EXPECT_EQ(printed_and_written({}, comma), first);
    EXPECT_NE(printed_and_written({"--timings"}, "C"), first); // a difference would be seen
    EXPECT_EQ(output_of({"table", "lloyd", "--depth", "3"}, {{"LC_ALL", "de_DE.UTF-8"}}),
              output_of({"table", "lloyd", "--depth", "3", "--threads", "8"}));
}

/// One object, whose first key says how it is to be read.
TEST(Output, as_json_begins_with_its_format) {
    const std::string capture = KVPROOF_SOURCE_DIR "/tests/data/captures/byte64_test.safetensors";
    const std::string calibration = KVPROOF_SOURCE_DIR "/tests/data/captures/byte64_calib.safetensors";
    const std::vector<std::vector<std::string>> commands = {
        {"verify", "readkv.lemma7.*"},
        {"claims"},
        {"table", "lloyd", "--depth", "2"},
        {"table", "separation"},
        {"account", "qwen2.5-7b", "--system", "dense"},
        {"account", "qwen2.5-7b"},
        {"probe", "hypercube:2", "--bits", "1", "--probes", "1"},
        {"montecarlo", "remainder", "--trials", "100"},
        {"certify", capture, "--calibration", calibration, "--layers", "0", "--queries", "last:1"},
        {"compare", capture, "--calibration", calibration, "--layers", "0", "--queries", "last:1"}};
    for (std::vector<std::string> command : commands) {
        command.insert(command.end(), {"--format", "json"});
        const Json json = Json::parse(output_of(command));
        ASSERT_TRUE(json.is_object()) << command[0];
        EXPECT_EQ(json.begin().key(), "format") << command[0];
        EXPECT_EQ(json["format"], 1) << command[0];
    }
}

TEST(Output, quiet_and_seed_are_taken_everywhere) {
    EXPECT_EQ(output_of({"claims", "readkv.thm1.domain", "--quiet", "--seed", "7"}),
              output_of({"claims", "readkv.thm1.domain"}));
}

} // namespace
