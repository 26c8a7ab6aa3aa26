// --help of every command shows an example, and the example works as it stands.
#include "tests/app/process.hpp"

#include <nlohmann/json.hpp>

using namespace kvproof::testing_support;

namespace {

const std::vector<std::vector<std::string>> commands = {
    {"verify"}, {"table"}, {"table", "lloyd"}, {"table", "separation"}, {"claims"},
    {"check"},  {"help"},  {"probe"},          {"montecarlo"},          {"report"}};

/// The words of a line as a shell takes them, single quotes and all.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> out;
    std::string word;
    bool quoted = false;
    for (const char c : line + " ") {
        if (c == '\'') {
            quoted = !quoted;
        } else if (c != ' ' || quoted) {
            word += c;
        } else if (!word.empty()) {
            out.push_back(std::move(word));
            word.clear();
        }
    }
    return out;
}

/// The commands of the help that are there to copy, over more than one line where the first ends so.
std::vector<std::string> examples_in(const std::string& help) {
    std::vector<std::string> out;
    std::istringstream lines(help);
    bool goes_on = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  kvproof ")) out.emplace_back();
        if (line.starts_with("  kvproof ") || goes_on) out.back() += line;
        goes_on = (line.starts_with("  kvproof ") || goes_on) && line.ends_with('\\');
        if (goes_on) out.back().back() = ' ';
    }
    return out;
}

TEST(Help, every_command_shows_an_example_that_works) {
    for (std::vector<std::string> command : commands) {
        command.emplace_back("--help");
        const Folder folder;
        const Outcome help = run(command, folder);
        EXPECT_EQ(help.status, 0);
        EXPECT_EQ(help.err, "");
        EXPECT_NE(help.out.find("Example"), std::string::npos) << help.out;
        const std::vector<std::string> examples = examples_in(help.out);
        std::filesystem::create_directory_symlink(std::filesystem::path(KVPROOF_SOURCE_DIR) / "tests",
                                                  folder / "tests"); // whose captures examples read
        if (command.front() == "check" || command.front() == "report")
            (void)run({"verify", "readkv.thm2.lower"}, folder); // as their help says
        if (command.front() == "report")
            folder.write("lloyd.json",
                         run({"table", "lloyd", "--depth", "2", "--format", "json"}, folder).out);
        EXPECT_FALSE(examples.empty()) << help.out;
        for (const std::string& example : examples) {
            std::vector<std::string> words = words_of(example);
            words.erase(words.begin()); // kvproof
            const Outcome outcome = run(words, folder);
            EXPECT_EQ(outcome.status, 0) << example << outcome.err;
            EXPECT_NE(outcome.out, "") << example;
            EXPECT_EQ(outcome.err, "") << example;
        }
    }
}

TEST(Help, of_the_whole_names_every_command_and_status) {
    const Folder folder;
    const std::string help = run({"--help"}, folder).out;
    for (const char* part :
         {"verify", "table", "claims", "help", "Exit status", "0 all as recorded", "2 bad input"})
        EXPECT_NE(help.find(part), std::string::npos) << part;
    EXPECT_EQ(run({"help"}, folder).out, help);
    EXPECT_EQ(run({"--version"}, folder).out.substr(0, 8), "kvproof ");
}

TEST(Help, as_markdown_holds_every_command) {
    const Folder folder;
    const std::string manual = run({"help", "--markdown"}, folder).out;
    for (const char* part :
         {"## kvproof verify", "## kvproof table lloyd", "## kvproof table separation", "## kvproof claims",
          "## kvproof check", "--codebook", "--strict", "Usage: kvproof [OPTIONS] SUBCOMMAND",
          "Usage: kvproof verify [OPTIONS]", "Usage: kvproof table lloyd [OPTIONS]"})
        EXPECT_NE(manual.find(part), std::string::npos) << part;
    const std::string errors = run({"help", "--errors-markdown"}, folder).out;
    EXPECT_NE(errors.find("| `unknown_claim` | 2 |"), std::string::npos);
}

TEST(Help, as_a_manual_page_holds_every_command_and_no_request_by_accident) {
    const Folder folder;
    const std::string page = run({"help", "--man"}, folder).out;
    for (const char* part : {".TH KVPROOF 1", ".SH NAME", ".SH \"kvproof table lloyd\"", "\\-\\-codebook"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with('.')) {
            EXPECT_TRUE(line.starts_with(".TH ") || line.starts_with(".SH ") || line == ".nf" ||
                        line == ".fi")
                << line;
        }
}

/// What bash offers after these words, the last of which is being typed.
std::string completions(const Folder& folder, const std::string& words, int last) {
    const std::string script = "source " + (folder / "completion") + "; COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(last) +
                               "; _kvproof; echo \"${COMPREPLY[*]}\" > " + (folder / "offered");
    EXPECT_EQ(std::system(("bash -c '" + script + "'").c_str()), 0);
    return read_all(folder / "offered");
}

TEST(Help, completion_offers_commands_and_options) {
    const Folder folder;
    write_all(folder / "completion", run({"help", "--bash-completion"}, folder).out);
    EXPECT_EQ(completions(folder, "kvproof ver", 1), "verify\n");
    EXPECT_EQ(completions(folder, "kvproof table l", 2), "lloyd\n");
    EXPECT_EQ(completions(folder, "kvproof table lloyd --de", 3), "--depth\n");
    EXPECT_EQ(completions(folder, "kvproof table lloyd --depth 3 --di", 5), "--digits\n");
    EXPECT_EQ(completions(folder, "kvproof verify readkv.thm1.region --st", 3), "--strict\n");
    EXPECT_EQ(completions(folder, "kvproof nonsense --ver", 2), "--version\n");
}

TEST(Help, manuals_are_asked_for_one_at_a_time) {
    const Folder folder;
    EXPECT_EQ(run({"help", "--man", "--markdown"}, folder).status, 2);
}

TEST(Check, answers_as_json_are_those_of_the_text) {
    const Folder folder;
    (void)run({"verify", "readkv.thm2.lower"}, folder);
    const std::string good = "out/certificates/readkv.thm2.lower.cert";
    write_all(folder / "bad.cert", "kvproof-cert 1\n");
    const Outcome text = run({"check", good, "bad.cert"}, folder);
    const Outcome json = run({"check", good, "bad.cert", "--format", "json"}, folder);
    EXPECT_EQ(text.out, "s VERIFIED PROVED readkv.thm2.lower\ns INVALID - 1 truncated\n");
    EXPECT_EQ(text.status, 1);
    EXPECT_EQ(json.status, 1);
    const auto answers = nlohmann::json::parse(json.out)["answers"];
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0]["file"], good);
    EXPECT_EQ(answers[0]["answer"], "s VERIFIED PROVED readkv.thm2.lower");
    EXPECT_EQ(answers[0]["valid"], true);
    EXPECT_EQ(answers[1]["valid"], false);
    EXPECT_EQ(run({"check", good, "--format", "json"}, folder).status, 0);
}

} // namespace
