// --device: what is asked of a device that is not there, or of a program without code for one, is refused in
// one line, and nothing is written; cpu is what is done without it.
#include "tests/app/process.hpp"

#include <algorithm>

using namespace kvproof::testing_support;
using Words = std::vector<std::string>;

namespace {

const std::string captures = std::string(KVPROOF_SOURCE_DIR) + "/tests/data/captures/";
const Words on_captures = {captures + "byte64_test.safetensors",
                           "--calibration",
                           captures + "byte64_calib.safetensors",
                           "--layers",
                           "0",
                           "--queries",
                           "last:2"};

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

/// Whether this machine has a device that the program takes.
bool has_device() {
    const Folder folder;
    return run({"montecarlo", "remainder", "--trials", "1", "--device", "cuda"}, folder).status == 0;
}

/// The one line of a command that ends with this status and writes nothing.
std::string refusal(int status, const Words& words, const std::string& file = "") {
    const Folder folder;
    const Outcome outcome = run(words, folder);
    EXPECT_EQ(outcome.status, status) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_FALSE(!file.empty() && std::filesystem::exists(folder / file));
    return outcome.err;
}

TEST(Device, one_that_is_not_there_is_refused) {
    if (has_device()) GTEST_SKIP() << "there is one";
    const Words trials = {"montecarlo", "remainder", "--trials", "100000", "--device", "cuda"};
    const std::string line = refusal(4, with(trials, {"--resume", "blocks.csv"}), "blocks.csv");
    EXPECT_NE(line.find("--device: found cuda"), std::string::npos) << line;
    EXPECT_NE(refusal(4, with(with({"compare"}, on_captures), {"--device", "cuda"})).find("--device"),
              std::string::npos);
    EXPECT_NE(refusal(4, with(with({"certify"}, on_captures), {"--device", "cuda", "--rows", "rows.csv"}),
                      "rows.csv")
                  .find("--device"),
              std::string::npos);
}

TEST(Device, what_a_device_does_not_do_is_refused) {
    EXPECT_NE(refusal(2, {"montecarlo", "attention-separation", "--trials", "1", "--device", "cuda"})
                  .find("attention-separation"),
              std::string::npos);
    const Words certify = with(with({"certify"}, on_captures), {"--device", "cuda"});
    EXPECT_NE(refusal(2, with(certify, {"--reader", "kivi:2"})).find("kivi:2"), std::string::npos);
    EXPECT_NE(refusal(2, with(certify, {"--rigorous"})).find("--rigorous"), std::string::npos);
    EXPECT_NE(refusal(2, with(certify, {"--centre", "zero"})).find("zero"), std::string::npos);
    const Folder folder;
    EXPECT_NE(run({"montecarlo", "remainder", "--trials", "1", "--device", "tpu"}, folder).status, 0);
}

TEST(Device, the_processor_is_what_is_meant_without_it) {
    const Folder folder;
    const Words trials = {"montecarlo", "remainder", "--trials", "1000"};
    const Outcome plain = run(trials, folder);
    EXPECT_EQ(plain.status, 0) << plain.err;
    EXPECT_EQ(run(with(trials, {"--device", "cpu"}), folder).out, plain.out);
}

/// On a device the same bytes: a trial has the bits of the vectorised loop.
TEST(Device, the_remainder_has_the_same_bytes_on_one) {
    if (!has_device()) GTEST_SKIP() << "there is none";
    const Folder folder;
    const Words trials = {"montecarlo", "remainder", "--trials", "150000", "--format", "json"};
    for (const char* noise : {"noise=signs", "noise=uniform"}) {
        const Outcome here = run(with(trials, {"--set", noise}), folder);
        const Outcome there = run(with(trials, {"--set", noise, "--device", "cuda"}), folder);
        EXPECT_EQ(there.status, 0) << there.err;
        EXPECT_EQ(there.out, here.out);
    }
}

} // namespace
