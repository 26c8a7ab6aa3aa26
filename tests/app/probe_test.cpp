// kvproof probe: golden tables, the JSON contract, sweeps that go on after an interruption, and bad input.
#include "lib/record/sha256.hpp"
#include "tests/app/process.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>

using namespace kvproof::testing_support;
using Json = nlohmann::ordered_json;

namespace {

/// Runs `kvproof probe` in the folder; it must succeed quietly.
std::string probe(const Folder& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "probe");
    const Outcome outcome = run(arguments, folder);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
}

TEST(Probe, prints_a_table_of_classes_and_budgets) {
    const Folder folder;
    EXPECT_EQ(
        probe(folder, {"hypercube:2", "--bits", "2", "--probes", "0..2", "--coins", "none"}),
        "hypercube:2: 4 sources, 4 queries; worst squared errors, already over the scale 2\n"
        "\n"
        "w = 2, no coins    r = 0     r = 1        r = 2\n"
        "oblivious          1/2       1/2          0\n"
        "query-independent  1/2       1/2          0\n"
        "staged:1           1/2       0            0\n"
        "branching          1/2       0            0\n"
        "ReadKV             1/2       0.0204253..  0.0204253..\n"
        "converse >=        0.5       0.191273     0\n"
        "solid converse >=  0.117099  0.0585498    0.0292749\n"
        "\n"
        "converse: a bound for query-independent readers, coins or not; solid: of the solid family that "
        "encloses\n"
        "this one, never of this one\n");
    EXPECT_EQ(probe(folder, {"pointer:2", "--bits", "3", "--probes", "2", "--classes", "branching,staged:1",
                             "--coins", "none"}),
              "pointer:2: 8 sources, 4 queries; worst squared errors, already over the scale 1\n"
              "\n"
              "w = 3, no coins  r = 2\n"
              "staged:1         1/4\n"
              "branching        0\n");
}

TEST(Probe, classes_may_come_in_any_order) {
    const Folder folder; // decided by the solver, each class from what an earlier one reached, if it may
    const std::vector<std::string> begin = {"sparse:4,2", "--bits", "4", "--probes", "2", "--coins", "none"};
    std::vector<std::string> down = begin;
    down.insert(down.end(), {"--classes", "branching,staged:1,query-independent,oblivious"});
    std::vector<std::string> up = begin;
    up.insert(up.end(), {"--classes", "oblivious,query-independent,staged:1,branching"});
    EXPECT_EQ(probe(folder, down), probe(folder, up));
}

using Keys = std::vector<std::string>;

Keys keys_of(const Json& object) {
    Keys out;
    for (const auto& [key, value] : object.items()) out.push_back(key);
    return out;
}

TEST(Probe, as_json_keeps_the_contract) {
    const Folder folder;
    const Json one = Json::parse(probe(
        folder, {"hypercube:2", "--bits", "2", "--probes", "1", "--coins", "none", "--format", "json"}));
    EXPECT_EQ(keys_of(one),
              (Keys{"format", "family", "scale", "sources", "queries", "results", "readkv", "converse"}));
    EXPECT_EQ(one["family"], "hypercube:2");
    EXPECT_EQ(one["scale"], 2);
    ASSERT_EQ(one["results"].size(), 4U);
    EXPECT_EQ(keys_of(one["results"][2]), (Keys{"class", "bits", "probes", "deterministic"}));
    EXPECT_EQ(one["results"][2]["class"], "staged:1");
    EXPECT_EQ(keys_of(one["results"][2]["deterministic"]), (Keys{"risk", "lower", "protocol"}));
    EXPECT_EQ(one["results"][2]["deterministic"]["risk"], "0");
    EXPECT_EQ(one["results"][2]["deterministic"]["protocol"]["trees"].size(), 4U); // one for each query
    EXPECT_EQ(one["results"][0]["deterministic"]["protocol"]["trees"].size(), 1U);
    EXPECT_EQ(one["readkv"]["stored_depth"], 1);
    EXPECT_EQ(one["readkv"]["bits_read"], 1);
    EXPECT_EQ(one["converse"]["lower"].get<std::string>().substr(0, 12), "0.0585498315");
    const Json sweep = Json::parse(probe(folder, {"labels:101,011", "--bits", "1..2", "--probes", "1",
                                                  "--coins", "none", "--format", "json"}));
    ASSERT_EQ(sweep["readkv"].size(), 2U);
    EXPECT_EQ(sweep["readkv"][1]["bits"], 2);
    EXPECT_TRUE(sweep["readkv"][1]["risk"].is_null());
}

TEST(Probe, prints_the_same_whatever_the_threads) {
    const Folder folder;
    const std::vector<std::string> sweep = {"pointer:2", "--bits", "0..2",     "--probes", "0..2",
                                            "--coins",   "none",   "--format", "json"};
    std::vector<std::string> many = sweep;
    many.insert(many.end(), {"--threads", "3"});
    EXPECT_EQ(probe(folder, sweep), probe(folder, many));
}

TEST(Probe, without_time_says_what_needs_no_search) {
    const Folder folder;
    const Json out = Json::parse(probe(folder, {"pointer:2", "--bits", "3", "--probes", "2", "--time-limit",
                                                "1e-9", "--coins", "none", "--format", "json"}));
    const Json& blind = out["results"][0]["deterministic"]; // five sources, no two in one of four leaves
    EXPECT_EQ(blind["risk"], "1/4");
    EXPECT_EQ(blind["lower"], "clique");
    const Json& staged = out["results"][2];
    EXPECT_EQ(staged["class"], "staged:1");
    EXPECT_EQ(staged["deterministic"]["risk"], (Json{{"lower", "0"}, {"upper", "1/4"}}));
    EXPECT_EQ(staged["deterministic"]["interrupted"], true);
}

const std::vector<std::string> sweep = {"pointer:2", "--bits", "0..3",     "--probes",   "0..2",
                                        "--coins",   "none",   "--resume", "sweep.jsonl"};

std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Probe, resumes_a_sweep_with_the_same_output) {
    const Folder folder;
    const std::string whole = probe(folder, sweep);
    const std::string file = read_all(folder / "sweep.jsonl");
    EXPECT_EQ(lines_in(file), 48U);
    EXPECT_EQ(probe(folder, sweep), whole);
    EXPECT_EQ(read_all(folder / "sweep.jsonl"), file); // nothing was computed again

    // cut off in the middle of a line, as a killed run leaves it
    const std::size_t cut = file.find('\n', file.size() / 2) + 40;
    write_all(folder / "sweep.jsonl", file.substr(0, cut));
    EXPECT_EQ(probe(folder, sweep), whole);
    const std::string again = read_all(folder / "sweep.jsonl");
    EXPECT_EQ(again.substr(0, cut - 40), file.substr(0, cut - 40));
    EXPECT_EQ(lines_in(again), 48U);
    EXPECT_EQ(probe(folder, sweep), whole); // what was appended is whole

    write_all(folder / "sweep.jsonl", file + file); // two ranks' files
    EXPECT_EQ(probe(folder, sweep), whole);
}

TEST(Probe, resumes_brackets_too) {
    const Folder folder;
    std::vector<std::string> coins = sweep;
    *std::ranges::find(coins, "none") = "both";
    const std::string whole = probe(folder, coins);
    const std::string file = read_all(folder / "sweep.jsonl");
    EXPECT_EQ(lines_in(file), 96U);
    std::vector<std::string> hurried = coins;
    hurried.insert(hurried.end(), {"--time-limit", "1e-9", "--certificates", "certificates"});
    EXPECT_EQ(probe(folder, hurried), whole); // all of it is known, witnesses too
    EXPECT_EQ(read_all(folder / "sweep.jsonl"), file);
    std::size_t games = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "certificates"))
        if (entry.path().filename().string().starts_with("game-")) ++games;
    EXPECT_GE(games, 40U); // but for those that are too large to check
    std::filesystem::remove(folder / "sweep.jsonl");
    EXPECT_NE(probe(folder, hurried), whole);
}

TEST(Probe, a_known_cell_is_taken_from_the_file) {
    const Folder folder;
    (void)probe(folder, sweep);
    std::vector<std::string> hurried = sweep;
    hurried.insert(hurried.end(), {"--time-limit", "1e-9"});
    EXPECT_EQ(probe(folder, hurried).find('['), std::string::npos);
    std::filesystem::remove(folder / "sweep.jsonl");
    EXPECT_NE(probe(folder, hurried).find('['), std::string::npos);
}

TEST(Probe, survives_a_kill) {
    const Folder folder;
    const std::string program = std::string(KVPROOF_BINARY_DIR) + "/kvproof";
    const std::vector<std::string> long_sweep = {"hypercube:3", "--bits",      "0..3",    "--probes", "0..3",
                                                 "--resume",    "sweep.jsonl", "--coins", "none"};
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder.path().c_str()) != 0) _exit(126);
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        std::vector<char*> argv = {const_cast<char*>(program.c_str()), const_cast<char*>("probe")};
        for (const std::string& argument : long_sweep) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        execv(program.c_str(), argv.data());
        _exit(127);
    }
    for (int waited = 0; waited < 2000 && lines_in(read_all(folder / "sweep.jsonl")) < 5; ++waited)
        usleep(2000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string left = read_all(folder / "sweep.jsonl");
    const std::string kept = left.substr(0, left.rfind('\n') + 1);
    EXPECT_GE(lines_in(kept), 5U);
    const std::string resumed = probe(folder, long_sweep);
    EXPECT_EQ(read_all(folder / "sweep.jsonl").substr(0, kept.size()), kept);
    const Folder fresh;
    EXPECT_EQ(resumed, probe(fresh, long_sweep));
}

/// Whether the file is refused in one line that says this, and left as it was.
testing::AssertionResult is_refused(const std::string& content, const std::string& part) {
    const Folder folder;
    write_all(folder / "sweep.jsonl", content);
    std::vector<std::string> arguments = sweep;
    arguments.insert(arguments.begin(), "probe");
    const Outcome outcome = run(arguments, folder);
    if (outcome.status != 2 || !outcome.out.empty() || lines_in(outcome.err) != 1 ||
        outcome.err.find("sweep.jsonl: line ") == std::string::npos ||
        outcome.err.find(part) == std::string::npos)
        return testing::AssertionFailure() << outcome.status << " " << outcome.err;
    if (read_all(folder / "sweep.jsonl") != content) return testing::AssertionFailure() << "written";
    return testing::AssertionSuccess();
}

TEST(Probe, refuses_a_foreign_or_damaged_file) {
    const Folder folder;
    (void)probe(folder, sweep);
    const std::string good = read_all(folder / "sweep.jsonl");
    std::filesystem::remove(folder / "sweep.jsonl");
    (void)probe(folder,
                {"pointer:1", "--bits", "1", "--probes", "1", "--coins", "none", "--resume", "sweep.jsonl"});
    EXPECT_TRUE(is_refused(read_all(folder / "sweep.jsonl"), "line 1: found a cell of another family"));
    EXPECT_TRUE(is_refused("{}\n", "line 1: found no cell"));
    EXPECT_TRUE(is_refused("a,b\n1,2\n", "line 1: found no cell"));
    EXPECT_TRUE(is_refused("no newline", "line 1: found no cell"));
    EXPECT_TRUE(is_refused(good + "\n" + good, "line 49: found no cell"));
    std::string flipped = good;
    const std::size_t risk = flipped.find(R"("risk":"1/4")");
    flipped.replace(risk, 12, R"("risk":"1/9")");
    EXPECT_TRUE(is_refused(flipped, "the hash beside it"));
    // with the right hash, but without what was promised
    const auto sealed = [](Json cell) {
        return Json{{"cell", cell}, {"sha256", kvproof::sha256(cell.dump())}}.dump() + "\n";
    };
    Json cell = Json::parse(good.substr(0, good.find('\n')))["cell"];
    EXPECT_FALSE(is_refused(sealed(cell), ""));
    cell["risk"] = "1/9";
    EXPECT_TRUE(is_refused(sealed(cell), "line 1: the protocol does not have this risk"));
    Folder coins;
    (void)probe(coins, {"pointer:2", "--bits", "2", "--probes", "1", "--classes", "oblivious", "--coins",
                        "public", "--resume", "sweep.jsonl"});
    const Json bracket = Json::parse(read_all(coins / "sweep.jsonl"))["cell"];
    EXPECT_FALSE(is_refused(sealed(bracket), ""));
    const std::vector<std::pair<Json::json_pointer, Json>> edits = {
        {Json::json_pointer("/randomised/upper"), "1/4"},
        {Json::json_pointer("/randomised/lower"), "1"},
        {Json::json_pointer("/randomised/rule"), "guess"},
        {Json::json_pointer("/randomised/prior"), Json::array()},
        {Json::json_pointer("/randomised/prior/0/0"), 8},
        {Json::json_pointer("/randomised/mixture/0/weight"), "0"},
        {Json::json_pointer("/randomised/mixture/0/answers/0"), "7"},
        {Json::json_pointer("/randomised/mixture/0/answers"), Json::array()},
        {Json::json_pointer("/randomised/mixture"), Json::array()}};
    for (const auto& [place, value] : edits) {
        Json edited = bracket;
        edited[place] = value;
        EXPECT_TRUE(is_refused(sealed(edited), "line 1: ")) << place.to_string();
    }
    EXPECT_FALSE(is_refused(good, ""));
}

TEST(Probe, writes_certificates_that_both_checkers_accept) {
    const Folder folder;
    std::ofstream(folder / "family.json")
        << R"({"scale": 4, "sources": ["a", "b", "c"], "queries": ["q", "r"],)"
        << R"( "targets": [[["0", "0"], "1"], [["1", "0"], "2"], [["0", "1"], "3"]]})";
    const std::string path = folder / "family.json";
    const Outcome mixed = run({"probe", "file:" + path, "--bits", "1", "--probes", "1"}, folder);
    EXPECT_EQ(mixed.status, 2) << "targets of different lengths";
    std::ofstream(path) << R"({"scale": 4, "sources": ["a", "b", "c"], "queries": ["q"],)"
                        << R"( "targets": [[["0", "0"]], [["1", "0"]], [["0", "1"]]]})";
    for (const std::string& family : {std::string("pointer:2"), std::string("hypercube:2"), "file:" + path}) {
        probe(folder, {family, "--bits", "2", "--probes", "0..2", "--certificates", "certificates"});
        std::vector<std::string> check = {"check"};
        for (const auto& entry : std::filesystem::directory_iterator(folder / "certificates"))
            check.push_back(entry.path().string());
        // 4 classes at each of three reads, both kinds of risk
        EXPECT_EQ(check.size(), 1U + 3 * 4 * 2) << family;
        const Outcome answers = run(check, folder);
        EXPECT_EQ(answers.status, 0) << answers.out;
        EXPECT_EQ(lines_in(answers.out), check.size() - 1);
        std::string python = "/usr/bin/python3 -B " KVPROOF_SOURCE_DIR "/proofs/checker/check.py";
        for (std::size_t i = 1; i < check.size(); ++i) python += " '" + check[i] + "'";
        EXPECT_EQ(std::system((python + " >/dev/null").c_str()), 0);
        std::filesystem::remove_all(folder / "certificates");
    }
}

TEST(Probe, a_certificate_of_another_number_is_invalid) {
    const Folder folder;
    probe(folder,
          {"sparse:3,2", "--bits", "2", "--probes", "1", "--classes", "staged:1", "--certificates", "."});
    const std::filesystem::path path = folder / "risk-staged-1-w2-r1.cert";
    const std::string text = read_all(path);
    ASSERT_NE(text.find(";1/6)"), std::string::npos);
    EXPECT_EQ(run({"check", path.string()}, folder).status, 0);
    std::string edited = text;
    edited.replace(edited.find("record 0x"), 10, "record 0x3");
    std::ofstream(path) << edited;
    EXPECT_EQ(run({"check", path.string()}, folder).status, 1);
}

TEST(Probe, bad_input_gets_one_line) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
        {{}, "family"},
        {{"hypercube:2"}, "--bits"},
        {{"hypercube:2", "--bits", "1"}, "--probes"},
        {{"hypercub:2", "--bits", "1", "--probes", "1"}, "\"hypercub:2\""},
        {{"file:none.json", "--bits", "1", "--probes", "1"}, "none.json"},
        {{"hypercube:2", "--bits", "3..1", "--probes", "1"}, "--bits: found \"3..1\""},
        {{"hypercube:2", "--bits", "33", "--probes", "1"}, "--bits: found \"33\""},
        {{"hypercube:2", "--bits", "1..", "--probes", "1"}, "--bits: found \"1..\""},
        {{"hypercube:2", "--bits", "1", "--probes", "-1"}, "--probes"},
        {{"hypercube:2", "--bits", "1", "--probes", "17"}, "--probes: found \"17\""},
        {{"hypercube:2", "--bits", "1", "--probes", "1", "--classes", "staged:0"}, "\"staged:0\""},
        {{"hypercube:2", "--bits", "1", "--probes", "1", "--coins", "private"}, "--coins"},
        {{"hypercube:2", "--bits", "1", "--probes", "1", "--time-limit", "-1"}, "--time-limit"},
        {{"hypercube:2", "--bits", "1", "--probes", "1", "--resume", "."}, "."},
        {{"hypercube:2", "--bits", "1", "--probes", "1", "--certificates", "/dev/null/x"}, "/dev/null/x"},
    };
    for (auto [arguments, part] : cases) {
        const Folder folder;
        arguments.insert(arguments.begin(), "probe");
        const Outcome outcome = run(arguments, folder);
        EXPECT_EQ(outcome.status, 2) << testing::PrintToString(arguments);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(lines_in(outcome.err), 1U) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    }
}

} // namespace
