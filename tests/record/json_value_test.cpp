#include "lib/record/json_value.hpp"

#include "lib/record/quote.hpp"
#include "tests/record/refusal.hpp"

#include <clocale>
#include <unistd.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

testing::AssertionResult refused(const std::string& text, const std::string& part) {
    return refuses([&] { (void)parse_json(text, "f.json"); }, ErrorCode::bad_file_format, {"f.json: ", part});
}

std::string nested(std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
}

TEST(JsonValue, keeps_the_text_of_numbers) {
    const JsonValue value = parse_json(
        R"({"a": [1.50, -0.1000000000000000000000000000001e-3, 18446744073709551616, -7], "b": "\u00e9"})",
        "f");
    const std::vector<JsonValue>& numbers = value.find("a")->items;
    EXPECT_EQ(numbers[0].text, "1.50");
    EXPECT_EQ(numbers[1].text, "-0.1000000000000000000000000000001e-3");
    EXPECT_EQ(numbers[2].text, "18446744073709551616");
    EXPECT_EQ(numbers[3].text, "-7");
    EXPECT_EQ(value.find("b")->text, "\xc3\xa9");
    EXPECT_EQ(value.find("c"), nullptr);
}

/// Switches to a locale with a decimal comma: an installed one, or one made here. False where neither can be.
bool set_comma_locale() {
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8", "pt_BR.UTF-8"})
        if (std::setlocale(LC_ALL, name) != nullptr) return true;
    const std::string folder = testing::TempDir() + "kvproof-locale-" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    const std::string make = "localedef -i de_DE -f UTF-8 " + folder + "/de_DE.UTF-8 >/dev/null 2>&1";
    ::setenv("LOCPATH", folder.c_str(), 1);
    const bool made = std::system(make.c_str()) == 0 && std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    ::unsetenv("LOCPATH");
    std::filesystem::remove_all(folder);
    return made;
}

TEST(JsonValue, does_not_depend_on_the_locale) {
    if (!set_comma_locale()) GTEST_SKIP() << "no locale with a decimal comma here (Debian package locales)";
    EXPECT_EQ(*std::localeconv()->decimal_point, ',');
    const JsonValue value = parse_json("[2.5, -1.25e-3]", "f");
    std::setlocale(LC_ALL, "C");
    EXPECT_EQ(value.items[0].text, "2.5");
    EXPECT_EQ(value.items[1].text, "-1.25e-3");
}

TEST(JsonValue, refuses_what_is_not_strict_json) {
    EXPECT_TRUE(refused("", "byte 1"));
    EXPECT_TRUE(refused("{", "byte 2"));
    EXPECT_TRUE(refused("[1,]", "byte 4"));
    EXPECT_TRUE(refused("[1] 2", "byte 5"));
    EXPECT_TRUE(refused("[NaN]", "byte"));
    EXPECT_TRUE(refused("[1] // c", "byte"));
    EXPECT_TRUE(refused("[01]", "byte"));
    EXPECT_TRUE(refused("[\"\xff\"]", "byte 3"));
    EXPECT_TRUE(refused("[\"\xed\xa0\x80\"]", "byte")); // a surrogate in UTF-8
    EXPECT_TRUE(refused("[\"\\ud800\"]", "byte"));      // half a pair
    EXPECT_TRUE(refused("[\"a\nb\"]", "byte"));
    EXPECT_TRUE(refused(std::string("[1\0]", 4), "byte 3"));
    EXPECT_TRUE(refused("[1e999]", "beyond binary64"));
}

TEST(JsonValue, refuses_a_key_twice_in_one_object_only) {
    EXPECT_TRUE(refused(R"({"a": 1, "b": {"x": 1}, "a": 2})", "the key \"a\" twice"));
    EXPECT_TRUE(refused(R"({"a": {"x": 1, "\u0078": 2}})", "the key \"x\" twice")); // however it is spelt
    EXPECT_EQ(parse_json(R"({"a": {"x": 1}, "x": {"a": 1}})", "f").items.size(), 2U);
}

TEST(JsonValue, refuses_depth_and_size_that_no_input_needs) {
    EXPECT_EQ(parse_json(nested(32), "f").kind, JsonValue::Kind::array);
    EXPECT_TRUE(refused(nested(33), "deeper than 32"));
    EXPECT_TRUE(refused(std::string(1'000'000, '['), "deeper than 32"));
    std::string many = "[0";
    for (int i = 0; i < 1'000'000; ++i) many += ",0";
    EXPECT_TRUE(refused(many + "]", "more than 1000000 JSON values"));
}

TEST(Quote, is_one_short_printable_line) {
    EXPECT_EQ(in_quotes("a\"b\\\n\xff"), R"("a\"b\\\x0a\xff")");
    EXPECT_EQ(in_quotes(std::string(61, 'x')), "\"" + std::string(60, 'x') + "...\"");
}

} // namespace
