// The folder of results: replaced as a whole, with a manifest of what was not run, and never at the cost of
// anything that kvproof did not write.
#include "tests/app/process.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace kvproof::testing_support;
using Json = nlohmann::ordered_json;

namespace {

std::set<std::string> names_in(const std::filesystem::path& folder) {
    std::set<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        out.insert(entry.path().filename().string());
    return out;
}

std::vector<std::string> claims_in(const std::string& results) {
    std::vector<std::string> out;
    const Json json = Json::parse(results);
    for (const Json& claim : json["claims"]) out.push_back(claim["id"]);
    return out;
}

TEST(OutDir, holds_what_was_printed_and_a_manifest) {
    const Folder folder;
    const Outcome outcome = run({"verify", "readkv.thm2.*", "--format", "json"}, folder);
    ASSERT_EQ(outcome.status, 0);
    EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"out"})); // nothing beside it
    EXPECT_EQ(read_all(folder / "out/results.json"), outcome.out);
    const Json manifest = Json::parse(read_all(folder / "out/manifest.json"));
    std::set<std::string> run_ids = manifest["run"];
    const std::set<std::string> not_run = manifest["not_run"];
    EXPECT_EQ(run_ids.size(), claims_in(outcome.out).size());
    for (const std::string& id : claims_in(outcome.out))
        EXPECT_TRUE(run_ids.contains(id) && !not_run.contains(id));
    EXPECT_TRUE(not_run.contains("readkv.thm1.coefficient"));
    // together they are all claims, in the registry's order
    const Outcome all = run({"claims", "--format", "json"}, folder);
    EXPECT_EQ(run_ids.size() + not_run.size(), claims_in(all.out).size());
}

TEST(OutDir, a_claim_left_to_the_full_effort_counts_as_not_run) {
    const Folder folder;
    ASSERT_EQ(run({"verify", "readkv.lloyd.tree.depth12", "--quiet"}, folder).status, 0);
    const Json manifest = Json::parse(read_all(folder / "out/manifest.json"));
    EXPECT_TRUE(manifest["run"].empty());
    EXPECT_NE(std::ranges::find(manifest["not_run"], "readkv.lloyd.tree.depth12"), manifest["not_run"].end());
}

/// What was sampled can be repeated, not certified.
TEST(OutDir, a_sampled_claim_leaves_no_certificate) {
    const Folder folder;
    const Outcome outcome =
        run({"verify", "readkv.obstruction.reader.run", "readkv.thm1.bayes", "--format", "json"}, folder);
    ASSERT_EQ(outcome.status, 0);
    EXPECT_EQ(names_in(folder / "out/certificates"), (std::set<std::string>{"readkv.thm1.bayes.cert"}));
    const Json claims = Json::parse(outcome.out)["claims"];
    ASSERT_EQ(claims.size(), 2U);
    for (const Json& claim : claims) {
        EXPECT_EQ(claim["rule"] == "sampling", claim["certificate"].is_null()) << claim["id"];
        EXPECT_EQ(claim["verdict"] == "supported", claim["certificate"].is_null()) << claim["id"];
    }
}

TEST(OutDir, is_replaced_as_a_whole) {
    const Folder folder;
    ASSERT_EQ(run({"verify", "readkv.thm1.domain", "--out", "here/results/"}, folder).status, 0);
    EXPECT_EQ(claims_in(read_all(folder / "here/results/results.json")),
              (std::vector<std::string>{"readkv.thm1.domain"}));
    const std::set<std::string> names = names_in(folder / "here/results");
    ASSERT_EQ(run({"verify", "readkv.thm1.bayes", "--out", "here/results"}, folder).status, 0);
    EXPECT_EQ(claims_in(read_all(folder / "here/results/results.json")),
              (std::vector<std::string>{"readkv.thm1.bayes"}));
    EXPECT_EQ(names_in(folder / "here/results").size(), names.size());
    EXPECT_EQ(names_in(folder / "here"), (std::set<std::string>{"results"})); // no leftovers
    EXPECT_EQ(names_in(folder / "here/results/certificates"),
              (std::set<std::string>{"readkv.thm1.bayes.cert"}));
    // a run that fails leaves the last one as it is
    const std::string before = read_all(folder / "here/results/results.json");
    ASSERT_EQ(run({"verify", "--codebook", "missing.npy", "--out", "here/results"}, folder).status, 2);
    EXPECT_EQ(read_all(folder / "here/results/results.json"), before);
}

TEST(OutDir, an_empty_folder_may_be_replaced) {
    const Folder folder;
    std::filesystem::create_directory(folder / "out");
    EXPECT_EQ(run({"verify", "readkv.thm1.domain"}, folder).status, 0);
    EXPECT_TRUE(std::filesystem::exists(folder / "out/results.json"));
}

/// Inside the folder of certificates too only what kvproof writes may be replaced.
TEST(OutDir, a_folder_of_certificates_with_anything_else_is_left_alone) {
    const Folder folder;
    ASSERT_EQ(run({"verify", "readkv.thm1.domain"}, folder).status, 0);
    std::filesystem::create_directory(folder / "out/certificates");
    write_all(folder / "out/certificates/thesis.tex", "years of work");
    EXPECT_EQ(run({"verify", "readkv.thm1.domain"}, folder).status, 2);
    EXPECT_EQ(read_all(folder / "out/certificates/thesis.tex"), "years of work");
}

TEST(OutDir, a_folder_with_anything_else_is_left_alone) {
    const Folder folder;
    std::filesystem::create_directory(folder / "out");
    write_all(folder / "out/thesis.tex", "years of work");
    write_all(folder / "out/results.json", "mine");
    const Outcome outcome = run({"verify", "readkv.thm1.domain"}, folder);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("thesis.tex"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(read_all(folder / "out/thesis.tex"), "years of work");
    EXPECT_EQ(read_all(folder / "out/results.json"), "mine");
    EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"out"}));
}

/// A regression test: out.new and out.old, which a killed run may leave behind, were removed without looking
/// at what they hold.
TEST(OutDir, neighbours_with_the_names_of_its_own_leftovers_are_left_alone) {
    for (const char* name : {"out.old", "out.new"}) {
        const Folder folder;
        std::filesystem::create_directory(folder / name);
        write_all(folder / (std::string(name) + "/thesis.tex"), "years of work");
        const Outcome outcome = run({"verify", "readkv.thm1.domain"}, folder);
        EXPECT_EQ(outcome.status, 2) << name;
        EXPECT_NE(outcome.err.find("thesis.tex"), std::string::npos) << outcome.err;
        EXPECT_EQ(read_all(folder / (std::string(name) + "/thesis.tex")), "years of work");
        // true leftovers are cleared away
        write_all(folder / (std::string(name) + "/results.json"), "{");
        std::filesystem::remove(folder / (std::string(name) + "/thesis.tex"));
        EXPECT_EQ(run({"verify", "readkv.thm1.domain"}, folder).status, 0) << name;
        EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"out"}));
    }
}

} // namespace
