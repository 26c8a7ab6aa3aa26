// Reader names: what is taken, what is refused and in which words.
#include "lib/reader/name.hpp"

#include "tests/record/refusal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using Words = std::vector<std::string>;

TEST(ReaderName, parts) {
    const ReaderName plain("dense");
    EXPECT_EQ(plain.name(), "dense");
    EXPECT_TRUE(plain.arguments().empty());
    EXPECT_FALSE(plain.protect());
    const ReaderName full("two-level:1,8,3.5,.25,keys+protect");
    EXPECT_EQ(full.name(), "two-level");
    EXPECT_EQ(full.arguments(), (Words{"1", "8", "3.5", ".25", "keys"}));
    EXPECT_TRUE(full.protect());
    EXPECT_EQ(ReaderName("lloyd2+protect").name(), "lloyd2");
    EXPECT_EQ(ReaderName("kivi:2").integer(0, "BITS", 1, 8), 2);
    EXPECT_EQ(full.decimal(2, "RK", 0, 8), Rational(7, 2));
    EXPECT_EQ(full.decimal(3, "RV", 0, 8), Rational(1, 4));
    // a double would be another number
    EXPECT_EQ(ReaderName("uniform:0.1").decimal(0, "R", 0, 8), Rational(1, 10));
    EXPECT_NE(ReaderName("uniform:0.1").decimal(0, "R", 0, 8), rational_from(0.1));
}

TEST(ReaderName, what_is_refused) {
    for (const char* const text : {"", ":", "+protect", ":2", "kivi:", "kivi:2,", "kivi:,2", "kivi:2,,4",
                                   "Kivi:2", "ki vi", "kivi:2+protected", "kivi:2 ", "kivi:2+protect+protect",
                                   "kivi:2:4", "kivi:-", "kivi:\xc3\xa9", "kivi\n"}) {
        if (std::string(text) == "kivi:-") continue; // a word of one dash: refused where it is read
        EXPECT_TRUE(
            refuses([&] { (void)ReaderName(text); }, ErrorCode::bad_option, {"reader \"", "expected"}))
            << text;
    }
    const ReaderName name("readkv:8,3.5,x");
    EXPECT_TRUE(refuses([&] { name.require_arguments(1, 2, ":W,R"); }, ErrorCode::bad_option,
                        {"reader \"readkv:8,3.5,x\"", "found 3 arguments", "readkv:W,R"}));
    EXPECT_NO_THROW(name.require_arguments(2, 3, ""));
    EXPECT_TRUE(refuses([&] { (void)name.integer(1, "RK", 0, 8); }, ErrorCode::bad_option,
                        {"RK = \"3.5\"", "from 0 to 8"}));
    EXPECT_TRUE(refuses([&] { (void)name.integer(0, "W", 1, 7); }, ErrorCode::bad_option,
                        {"W = \"8\"", "from 1 to 7"}));
    EXPECT_TRUE(refuses([&] { (void)name.decimal(1, "R", 0, 3); }, ErrorCode::bad_option,
                        {"\"3.5\"", "from 0 to 3"}));
    EXPECT_TRUE(refuses([&] { (void)name.decimal(3, "R", 0, 3); }, ErrorCode::bad_option, {"found no R"}));
    for (const char* const text : {"uniform:1.2.3", "uniform:.", "uniform:1e3", "uniform:-1", "uniform:0x1",
                                   "uniform:1-2", "uniform:000000000000000000001", "uniform:nan"})
        EXPECT_TRUE(refuses([&] { (void)ReaderName(text).decimal(0, "R", 0, 8); }, ErrorCode::bad_option,
                            {"expected a decimal from 0 to 8"}))
            << text;
    for (const char* const text : {"kivi:-2", "kivi:99999999999", "kivi:2.0", "kivi:b2"})
        EXPECT_TRUE(refuses([&] { (void)ReaderName(text).integer(0, "BITS", 1, 8); }, ErrorCode::bad_option,
                            {"expected an integer"}))
            << text;
}

RC_GTEST_PROP(ReaderNameProperty, any_text_is_taken_apart_or_refused_in_one_line, (const std::string& text)) {
    const Outcome outcome = outcome_of([&] { (void)ReaderName(text); });
    if (outcome.code) RC_ASSERT(*outcome.code == ErrorCode::bad_option);
    for (const char c : outcome.line) RC_ASSERT((c >= 0x20 && c <= 0x7e));
}

RC_GTEST_PROP(ReaderNameProperty, spelling_out_the_parts_gives_the_name_back, (std::uint64_t seed)) {
    Words words;
    for (std::uint64_t rest = seed % 256; rest > 0; rest /= 4)
        words.push_back(std::to_string(rest % 4) + ".5");
    std::string text = "name-2";
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? ":" : ",") + words[i];
    const bool protect = seed / 256 % 2 == 1;
    const ReaderName name(text + (protect ? "+protect" : ""));
    RC_ASSERT(name.arguments() == words);
    RC_ASSERT(name.protect() == protect);
    for (std::size_t i = 0; i < words.size(); ++i)
        RC_ASSERT(name.decimal(i, "R", 0, 8) == Rational(words[i][0] - '0') + Rational(1, 2));
}

} // namespace
