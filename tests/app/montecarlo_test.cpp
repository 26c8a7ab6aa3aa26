// kvproof montecarlo: the same bytes whatever the threads, the interruptions and the order of a file's lines;
// files that are damaged or foreign are refused.
#include "lib/record/sha256.hpp"
#include "tests/app/process.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

using namespace kvproof::testing_support;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

/// Blocks of 256 trials, quick ones: nine blocks, the last one cut.
const Words task = {"attention-separation", "--trials", "2100", "--set", "m=2", "--seed", "3"};

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string montecarlo(const Folder& folder, Words words) {
    words.insert(words.begin(), "montecarlo");
    const Outcome outcome = run(words, folder);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
}

/// The one line of a refusal.
std::string refusal(const Folder& folder, Words words) {
    words.insert(words.begin(), "montecarlo");
    const Outcome outcome = run(words, folder);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
}

Words lines_of(const std::string& text) {
    Words out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

void write_lines(const std::filesystem::path& path, const Words& lines) {
    std::ofstream file(path, std::ios::binary);
    for (const std::string& line : lines) file << line << "\n";
}

TEST(MonteCarlo, threads_do_not_show) {
    const Folder folder;
    const std::string one = montecarlo(folder, with(task, {"--format", "json"}));
    for (const char* threads : {"2", "3"})
        EXPECT_EQ(montecarlo(folder, with(task, {"--format", "json", "--threads", threads})), one);
    EXPECT_NE(montecarlo(folder, with(task, {"--format", "json", "--set", "m=3"})), one);
}

TEST(MonteCarlo, as_json_keeps_the_contract) {
    const Folder folder;
    const Json out = Json::parse(montecarlo(folder, with(task, {"--format", "json"})));
    Words keys;
    for (const auto& [key, value] : out.items()) keys.push_back(key);
    EXPECT_EQ(keys, (Words{"format", "experiment", "seed", "trials", "task", "metrics", "levels",
                           "references", "parameters"}));
    EXPECT_EQ(out["experiment"], "attention-separation");
    EXPECT_EQ(out["seed"], 3);
    EXPECT_EQ(out["trials"], 2100);
    EXPECT_EQ(out["task"].get<std::string>().size(), 64U);
    EXPECT_EQ(out["parameters"]["m"], 2);
    keys.clear();
    for (const auto& [key, value] : out["metrics"]["readkv"].items()) keys.push_back(key);
    EXPECT_EQ(keys, (Words{"mean", "lower", "upper", "level", "method", "samples", "least", "greatest",
                           "range", "meaning"}));
    EXPECT_EQ(out["metrics"]["readkv"]["level"], 0.95);
    EXPECT_EQ(out["metrics"]["readkv"]["method"], "empirical-bernstein");
    EXPECT_EQ(out["metrics"]["misread"]["method"], "clopper-pearson");
}

TEST(MonteCarlo, a_table_names_all_of_it) {
    const Folder folder;
    const std::string out = montecarlo(folder, task);
    for (const char* word : {"2100 trials of seed 3", "m = 2", "lower 95 %", "converse", "clopper-pearson",
                             "each interval has its level by itself; task "})
        EXPECT_NE(out.find(word), std::string::npos) << word << " in\n" << out;
}

TEST(MonteCarlo, a_longer_run_extends_a_shorter_one) {
    const Folder folder;
    const std::string expected = montecarlo(folder, task);
    Words fewer = task;
    fewer[2] = "700";
    montecarlo(folder, with(fewer, {"--resume", "blocks.csv"}));
    EXPECT_EQ(lines_of(read_all(folder / "blocks.csv")).size(), 1U + 2); // 700 = 2 * 256 + 188
    EXPECT_EQ(montecarlo(folder, with(task, {"--resume", "blocks.csv", "--threads", "2"})), expected);
    const Words lines = lines_of(read_all(folder / "blocks.csv"));
    EXPECT_EQ(lines.size(), 1U + 8); // no block twice
    EXPECT_EQ(montecarlo(folder, with(task, {"--resume", "blocks.csv"})), expected);
    EXPECT_EQ(lines_of(read_all(folder / "blocks.csv")), lines); // nothing was left to do
    // and fewer trials than the file has
    EXPECT_EQ(montecarlo(folder, with(fewer, {"--resume", "blocks.csv"})), montecarlo(folder, fewer));
}

TEST(MonteCarlo, any_lines_in_any_order_with_any_torn_end) {
    const Folder folder;
    const std::string expected = montecarlo(folder, with(task, {"--resume", "all.csv"}));
    const Words lines = lines_of(read_all(folder / "all.csv"));
    ASSERT_EQ(lines.size(), 9U);
    for (std::size_t kept = 0; kept <= 8; ++kept) {
        Words some(lines.begin(), lines.begin() + 1 + static_cast<std::ptrdiff_t>(kept));
        std::reverse(some.begin() + 1, some.end());
        write_lines(folder / "some.csv", some);
        std::ofstream(folder / "some.csv", std::ios::app | std::ios::binary)
            << lines[8].substr(0, kept * lines[8].size() / 8 / 2 + 1);
        EXPECT_EQ(montecarlo(folder, with(task, {"--resume", "some.csv"})), expected) << kept;
        EXPECT_EQ(lines_of(read_all(folder / "some.csv")).size(), 9U) << kept;
    }
    write_lines(folder / "gaps.csv", {lines[0], lines[6], lines[2], lines[5]});
    EXPECT_EQ(montecarlo(folder, with(task, {"--resume", "gaps.csv"})), expected);
    Words filled = lines_of(read_all(folder / "gaps.csv"));
    Words sorted = lines;
    std::ranges::sort(filled);
    std::ranges::sort(sorted);
    EXPECT_EQ(filled, sorted);
    // files of one task, one after the other
    Words twice = lines;
    twice.insert(twice.end(), lines.begin(), lines.end());
    write_lines(folder / "twice.csv", twice);
    EXPECT_EQ(montecarlo(folder, with(task, {"--resume", "twice.csv"})), expected);
    // a header that was cut off
    std::ofstream(folder / "head.csv") << lines[0].substr(0, 11);
    EXPECT_EQ(montecarlo(folder, with(task, {"--resume", "head.csv"})), expected);
}

/// Starts a run that takes minutes, kills it -9 once it has kept some blocks, and returns how many lines are
/// whole.
std::size_t kill_a_run(const Folder& folder, const Words& words) {
    const std::string program = std::string(KVPROOF_BINARY_DIR) + "/kvproof";
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder.path().c_str()) != 0) _exit(126);
        std::vector<char*> argv = {const_cast<char*>(program.c_str()), const_cast<char*>("montecarlo")};
        for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        execv(program.c_str(), argv.data());
        _exit(127);
    }
    for (int waited = 0; waited < 6000; ++waited) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (std::ranges::count(read_all(folder / "blocks.csv"), '\n') > 4) break;
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended before it could be killed";
    return static_cast<std::size_t>(std::ranges::count(read_all(folder / "blocks.csv"), '\n'));
}

TEST(MonteCarlo, killed_it_loses_at_most_what_was_in_flight) {
    const Folder folder;
    Words longer = task;
    longer[2] = "100000000";
    const std::size_t kept = kill_a_run(folder, with(longer, {"--resume", "blocks.csv", "--threads", "2"}));
    ASSERT_GE(kept, 5U);
    const Words before = lines_of(read_all(folder / "blocks.csv"));
    Words shorter = task;
    shorter[2] = std::to_string(256 * (kept + 3));
    const std::string resumed = montecarlo(folder, with(shorter, {"--resume", "blocks.csv"}));
    EXPECT_EQ(resumed, montecarlo(folder, shorter));
    const Words after = lines_of(read_all(folder / "blocks.csv"));
    // every kept line is still there, and only the missing ones were computed
    ASSERT_GE(after.size(), kept);
    EXPECT_TRUE(
        std::equal(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(kept), after.begin()));
    EXPECT_LE(after.size(), kept + 6); // 3 more than were kept, and what two threads had in flight
}

TEST(MonteCarlo, a_line_changed_by_one_digit_is_refused) {
    const Folder folder;
    montecarlo(folder, with(task, {"--resume", "all.csv"}));
    const Words lines = lines_of(read_all(folder / "all.csv"));
    const std::string& line = lines[4];
    for (std::size_t at = 0; at < line.size(); at += 7) {
        Words changed = lines;
        changed[4][at] = line[at] == '1' ? '2' : '1';
        write_lines(folder / "changed.csv", changed);
        const std::string text = read_all(folder / "changed.csv");
        EXPECT_EQ(refusal(folder, with(task, {"--resume", "changed.csv"})).substr(0, 29),
                  "kvproof: changed.csv: line 5:")
            << at;
        EXPECT_EQ(read_all(folder / "changed.csv"), text); // left as it was
    }
}

/// A line with its checksum made anew: what a careless program might write.
std::string sealed(const std::string& line) {
    const std::string text = line.substr(0, line.rfind(','));
    return text + "," + kvproof::sha256(text).substr(0, 16);
}

TEST(MonteCarlo, sealed_nonsense_is_refused) {
    const Folder folder;
    montecarlo(folder, with(task, {"--resume", "all.csv"}));
    const Words lines = lines_of(read_all(folder / "all.csv"));
    const std::string hash = lines[1].substr(0, 64);
    const auto fields = [&](const std::string& rest) { return sealed(hash + "," + rest + ",x"); };
    const std::string good = ",256,5,5,0,1,256,0,0,0,0,256,0,0,0,0,256,7,7,0,1,256,7,7,0,1";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {fields("0,256"), "found 4 fields"},
        {fields("0,256" + good.substr(0, good.size() - 2)), "found 28 fields"},
        {fields("0,255" + good), "found sums that no block has"},
        {fields("0,0" + good), "found sums that no block has"},
        {fields("-1,256" + good), "found a field that is no integer"},
        {fields("0,256,256,5e3" + good.substr(6)), "found a field that is no integer"},
        {fields("0,256" + good), "found other sums than an earlier line for the same block"},
    };
    for (const auto& [line, why] : cases) {
        write_lines(folder / "bad.csv", {lines[0], lines[1], lines[2], line});
        const std::string found = refusal(folder, with(task, {"--resume", "bad.csv"}));
        EXPECT_NE(found.find("bad.csv: line 4: "), std::string::npos) << found;
        EXPECT_NE(found.find(why), std::string::npos) << found << why;
    }
    // whole, but a block that is cut short cannot be added to
    std::string cut = lines[1];
    cut.replace(65, std::string::npos, "7,100,100,5,5,0,1,100,0,0,0,0,100,0,0,0,0,100,7,7,0,1,100,7,7,0,1,x");
    write_lines(folder / "bad.csv", {lines[0], sealed(cut)});
    EXPECT_NE(refusal(folder, with(task, {"--resume", "bad.csv"})).find("a block that is cut short"),
              std::string::npos);
}

TEST(MonteCarlo, foreign_files_are_refused_and_left_alone) {
    const Folder folder;
    montecarlo(folder, with(task, {"--resume", "blocks.csv"}));
    const std::string text = read_all(folder / "blocks.csv");
    for (const Words& other :
         {Words{"attention-separation", "--trials", "100", "--set", "m=2", "--seed", "4"},
          Words{"attention-separation", "--trials", "100", "--set", "m=3", "--seed", "3"},
          Words{"remainder", "--trials", "100"}}) {
        const std::string line = refusal(folder, with(other, {"--resume", "blocks.csv"}));
        EXPECT_NE(line.find("kvproof: blocks.csv: line 2: found a block of task "), std::string::npos)
            << line;
        EXPECT_EQ(read_all(folder / "blocks.csv"), text);
    }
    std::ofstream(folder / "letter.txt") << "Dear reader,\n";
    EXPECT_EQ(
        refusal(folder, with(task, {"--resume", "letter.txt"})),
        "kvproof: letter.txt: line 1: found no header, expected a file that `kvproof montecarlo --resume` "
        "wrote\n");
    EXPECT_EQ(read_all(folder / "letter.txt"), "Dear reader,\n");
    EXPECT_EQ(refusal(folder, with(task, {"--resume", "."})), "kvproof: .: Is a directory\n");
    EXPECT_EQ(refusal(folder, with(task, {"--resume", "/dev/null"})),
              "kvproof: /dev/null: found no regular file\n");
    EXPECT_EQ(refusal(folder, with(task, {"--resume", "none/b.csv"})),
              "kvproof: none/b.csv: No such file or directory\n");
}

TEST(MonteCarlo, bad_input_gets_one_line) {
    const Folder folder;
    EXPECT_EQ(refusal(folder, {"remainder"}), "kvproof: --trials is required\n");
    EXPECT_NE(refusal(folder, {"remainder", "--trials", "0"}).find("--trials"), std::string::npos);
    for (const std::string seed : {"-1", "18446744073709551616", "1.5", "x"})
        EXPECT_EQ(refusal(folder, {"remainder", "--trials", "1", "--seed", seed}),
                  "kvproof: --seed: found " + seed +
                      ", expected a whole number from 0 to 18446744073709551615\n");
    EXPECT_NE(refusal(folder, {"nothing", "--trials", "1"}).find("EXPERIMENT: found \"nothing\""),
              std::string::npos);
    EXPECT_NE(
        refusal(folder, {"remainder", "--trials", "1", "--calibration", "self"}).find("without --capture"),
        std::string::npos);
    EXPECT_NE(refusal(folder, {"remainder", "--trials", "1", "--capture", "none"}).find("none"),
              std::string::npos);
    EXPECT_NE(
        refusal(folder, {"remainder", "--trials", "1", "--set", "A0=1"}).find("expected a parameter of"),
        std::string::npos);
}

} // namespace
