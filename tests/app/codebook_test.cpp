// verify --codebook: the exported table passes in every format, a table that is a little off is refuted.
#include "tests/app/process.hpp"

#include <nlohmann/json.hpp>

using namespace kvproof::testing_support;
using Json = nlohmann::ordered_json;

namespace {

const std::vector<std::string> of_table = {"readkv.lemma7.*.float32", "readkv.lemma7.*.codebook",
                                           "readkv.thm1.ratio155.float32", "readkv.thm2.gain_order.float32"};

/// Writes `kvproof table lloyd` of depth 8 into a file.
void export_table(const Folder& folder, const std::string& format, const std::string& name) {
    const Outcome outcome = run({"table", "lloyd", "--format", format, "--digits", "20"}, folder);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    write_all(folder / name, outcome.out);
}

Outcome verify(const Folder& folder, const std::string& name, std::vector<std::string> patterns = of_table) {
    patterns.insert(patterns.begin(), "verify");
    patterns.insert(patterns.end(), {"--codebook", name, "--format", "json"});
    return run(patterns, folder);
}

TEST(CodebookOption, an_exported_table_passes_like_the_built_in_one) {
    const Folder folder;
    for (const auto& [format, name] : {std::pair{"json", "t.json"}, {"safetensors", "t.safetensors"}}) {
        export_table(folder, format, name);
        const Outcome outcome = verify(folder, name);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        const Json json = Json::parse(outcome.out);
        EXPECT_EQ(json["claims"].size(), 23U);
        for (const Json& claim : json["claims"]) {
            EXPECT_EQ(claim["scope"], std::string("file:") + name);
            EXPECT_EQ(claim["verdict"], claim["recorded"]) << claim["id"];
        }
    }
}

TEST(CodebookOption, the_path_is_not_part_of_the_result) {
    const Folder folder;
    export_table(folder, "json", "t.json");
    std::filesystem::create_directory(folder / "deep");
    std::filesystem::copy_file(folder / "t.json", folder / "deep/t.json");
    EXPECT_EQ(verify(folder, "t.json").out, verify(folder, folder / "deep/t.json").out);
}

/// One centroid of depth 8 moved by 0.001: the last gain is no longer the paper's.
TEST(CodebookOption, a_table_that_is_off_is_refuted) {
    const Folder folder;
    export_table(folder, "json", "t.json");
    Json table = Json::parse(read_all(folder / "t.json"));
    auto& centroid = table["levels"][8]["centroids"][200];
    centroid = std::to_string(std::stod(centroid.get<std::string>()) + 0.001);
    write_all(folder / "off.json", table.dump());
    const Outcome outcome = verify(folder, "off.json");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "");
    std::string refuted;
    const Json results = Json::parse(outcome.out);
    for (const Json& claim : results["claims"])
        if (claim["verdict"] != claim["recorded"]) refuted += claim["id"].get<std::string>() + " ";
    EXPECT_EQ(refuted, "readkv.lemma7.gain.8.float32 readkv.lemma7.gain.8.codebook ");
    EXPECT_TRUE(std::filesystem::exists(folder / "out/results.json")); // refuted is a result too
    // what does not speak of a table does not depend on it
    const Outcome exact = verify(folder, "off.json", {"readkv.lemma7.gain.8.exact"});
    EXPECT_EQ(exact.status, 0);
    EXPECT_EQ(Json::parse(exact.out)["claims"][0]["scope"], "exact");
}

/// Instances of the rows, named after the table's certificate; both kinds of verdict pass the checker.
TEST(CodebookOption, what_comes_out_is_certified) {
    const Folder folder;
    write_all(folder / "t.json", run({"table", "lloyd", "--depth", "2", "--format", "json"}, folder).out);
    const Json json = Json::parse(verify(folder, "t.json", {"readkv.lemma7.gain.1.*"}).out);
    const std::string certificates = folder / "out/certificates/";
    const std::string table = read_all(certificates + "codebook.cert");
    const std::string hash = table.substr(table.rfind("end ") + 4, 64);
    std::vector<std::string> arguments = {"check", certificates + "codebook.cert"};
    std::string expected = "s VERIFIED PROVED codebook\n";
    for (const auto& [id, verdict] : {std::pair{"readkv.lemma7.gain.1.float32", "PROVED"},
                                      {"readkv.lemma7.gain.1.codebook", "REFUTED"}}) {
        arguments.push_back(certificates + id + ".cert");
        expected += std::string("s VERIFIED ") + verdict + " " + id + "(" + hash + ")\n";
    }
    const Outcome outcome = run(arguments, folder);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, expected);
    EXPECT_EQ(json["claims"][0]["certificate"], "certificates/readkv.lemma7.gain.1.float32.cert");
    // another table has another name
    write_all(folder / "t.json", run({"table", "lloyd", "--depth", "3", "--format", "json"}, folder).out);
    (void)verify(folder, "t.json", {"readkv.lemma7.gain.1.*"});
    EXPECT_EQ(read_all(certificates + "readkv.lemma7.gain.1.float32.cert").find(hash), std::string::npos);
}

TEST(CodebookOption, a_table_that_is_no_quantiser_is_refused) {
    const Folder folder;
    export_table(folder, "json", "t.json");
    Json table = Json::parse(read_all(folder / "t.json"));
    table["levels"][8]["centroids"][200] = "9";
    write_all(folder / "bad.json", table.dump());
    const Outcome outcome = verify(folder, "bad.json");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("centroids.8[200]"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(CodebookOption, a_shallow_table_leaves_the_deeper_claims_undecided) {
    const Folder folder;
    write_all(folder / "t.json", run({"table", "lloyd", "--depth", "2", "--format", "json"}, folder).out);
    const Outcome outcome =
        verify(folder, "t.json", {"readkv.lemma7.gain.2.float32", "readkv.lemma7.gain.3.float32"});
    EXPECT_EQ(outcome.status, 1); // not as recorded
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["claims"][0]["verdict"], "proved");
    EXPECT_EQ(json["claims"][1]["verdict"], "undecided");
    EXPECT_EQ(json["claims"][1]["why"], "missing_input");
}

} // namespace
