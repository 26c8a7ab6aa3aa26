// Exit statuses, and what bad input gets: one line on stderr that names it, nothing on stdout, nothing
// written.
#include "tests/app/process.hpp"

using namespace kvproof::testing_support;

namespace {

struct Refused {
    std::vector<std::string> arguments;
    std::vector<std::string> parts; // of the line
};

/// Status 2, one line that names what is wrong, no output.
testing::AssertionResult is_refused(const Refused& refused) {
    const Folder folder;
    write_all(folder / "empty.json", "");
    write_all(folder / "short.json", R"({"table": "lloyd", "depth": 1, "levels": []})");
    write_all(folder / "text.npy", "no numpy file");
    const auto count = [&folder] {
        std::size_t entries = 0;
        for ([[maybe_unused]] const auto& entry :
             std::filesystem::recursive_directory_iterator(folder.path()))
            ++entries;
        return entries;
    };
    const std::size_t before = count();
    const Outcome outcome = run(refused.arguments, folder);
    if (outcome.status != 2)
        return testing::AssertionFailure() << "exit status " << outcome.status << outcome.err;
    if (!outcome.out.empty()) return testing::AssertionFailure() << "on stdout: " << outcome.out;
    if (!outcome.err.starts_with("kvproof: ") || outcome.err.find('\n') != outcome.err.size() - 1)
        return testing::AssertionFailure() << "not one line: " << outcome.err;
    for (const std::string& part : refused.parts)
        if (outcome.err.find(part) == std::string::npos)
            return testing::AssertionFailure() << "no \"" << part << "\" in: " << outcome.err;
    if (count() != before) return testing::AssertionFailure() << "something was written";
    return testing::AssertionSuccess();
}

TEST(Errors, bad_usage_is_refused_in_one_line) {
    const std::vector<Refused> cases = {
        {{}, {"--help"}},
        {{"prove"}, {"prove", "--help"}},
        {{"--colour"}, {"--colour", "--help"}},
        {{"table"}, {"--help"}},
        {{"table", "lyod"}, {"lyod", "--help"}},
        {{"verify", "--colour"}, {"--colour"}},
        {{"verify", "no.such.claim"}, {"no.such.claim", "kvproof claims"}},
        {{"verify", "readkv.*", "no*such"}, {"no*such"}},
        {{"claims", "no.such.claim"}, {"no.such.claim"}},
        {{"verify", "--format", "xml"}, {"--format", "xml", "json"}},
        {{"verify", "--format", "csv"}, {"--format", "csv"}},
        {{"verify", "--effort", "huge"}, {"--effort", "huge", "full"}},
        {{"verify", "--threads", "0"}, {"--threads", "0"}},
        {{"verify", "--threads", "many"}, {"--threads", "many"}},
        {{"verify", "--threads"}, {"--threads"}},
        {{"claims", "--seed", "-1"}, {"--seed", "-1"}},
        {{"table", "lloyd", "--depth", "13"}, {"--depth", "13"}},
        {{"table", "lloyd", "--depth", "-1"}, {"--depth", "-1"}},
        {{"table", "lloyd", "--digits", "0"}, {"--digits", "0"}},
        {{"table", "lloyd", "--depth", "0", "--format", "npy", "--digits", "1001"}, {"--digits", "1001"}},
        {{"table", "separation", "--dimension", "4", "--probes", "33"}, {"--probes", "33", "32"}},
        {{"table", "separation", "--dimension", "0"}, {"--dimension", "0"}},
        {{"account"}, {"model"}},
        {{"account", "gpt"}, {"\"gpt\"", "qwen2.5-7b"}},
        {{"account", "4,3,4,16"}, {"4 query heads", "3 KV heads"}},
        {{"account", "qwen2.5-7b", "--system", "readkv:8,9"}, {"readkv:8,9", "\"9\""}},
        {{"account", "qwen2.5-7b", "--system", "kvtc:2"}, {"kvtc:2", "data"}},
        {{"account", "qwen2.5-7b", "--system", "sparq:129,4"}, {"sparq:129,4", "128"}},
        {{"account", "3,2,4,16", "--system", "kivi:2+protect"}, {"kivi:2+protect", "3 layers"}},
        {{"account", "qwen2.5-7b", "--run", "causal:0"}, {"\"0\"", "tokens"}},
        {{"account", "qwen2.5-7b", "--run", "answer:5,1"}, {"\"1\"", "answer"}},
        {{"account", "qwen2.5-7b", "--capacity-at", "0"}, {"--capacity-at", "0"}},
        {{"account", "qwen2.5-7b", "--format", "header"}, {"--format", "header"}},
        {{"verify", "--codebook", "missing.json"}, {"missing.json"}},
        {{"verify", "--codebook", "."}, {"."}},
        {{"verify", "--codebook", "empty.json"}, {"empty.json"}},
        {{"verify", "--codebook", "short.json"}, {"short.json"}},
        {{"verify", "--codebook", "text.npy"}, {"text.npy"}},
        {{"verify", "readkv.thm1.domain", "--out", "empty.json"}, {"empty.json", "folder"}},
        {{"verify", "readkv.thm1.domain", "--out", "empty.json/out"}, {"empty.json"}},
        {{"verify", "readkv.thm1.domain", "--out", ""}, {"--out"}},
    };
    for (const Refused& refused : cases)
        EXPECT_TRUE(is_refused(refused)) << testing::PrintToString(refused.arguments);
    EXPECT_FALSE(is_refused({{"claims"}, {}})); // the check can fail
    EXPECT_FALSE(is_refused({{"claims", "no.such.claim"}, {"another"}}));
}

int status_of(const std::vector<std::string>& arguments) {
    const Folder folder;
    return run(arguments, folder).status;
}

TEST(Errors, status_0_where_all_is_as_recorded) {
    EXPECT_EQ(status_of({"verify", "readkv.thm1.coefficient"}), 0);
    EXPECT_EQ(status_of({"verify", "readkv.lemma7.gain.1.exact"}), 0); // refuted, as recorded
    EXPECT_EQ(status_of({"verify", "readkv.lloyd.tree.depth12"}), 0);  // undecided: left to the full effort
    EXPECT_EQ(status_of({"--version"}), 0);
    EXPECT_EQ(status_of({"help"}), 0);
}

TEST(Errors, strict_asks_for_decisions) {
    EXPECT_EQ(status_of({"verify", "readkv.thm1.coefficient", "--strict"}), 0);
    EXPECT_EQ(status_of({"verify", "readkv.lemma7.gain.1.exact", "--strict"}), 0);
    EXPECT_EQ(status_of({"verify", "readkv.lloyd.tree.depth12", "--strict"}), 1);
    EXPECT_EQ(status_of({"verify", "readkv.thm1.schedule.reader", "--strict"}), 1); // only supported
}

TEST(Errors, output_that_cannot_be_written_is_an_error) {
    if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
    const std::string program = std::string(KVPROOF_BINARY_DIR) + "/kvproof";
    const int status = std::system((program + " claims > /dev/full 2> /dev/null").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2);
}

} // namespace
