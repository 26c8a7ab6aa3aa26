// A user's families: what is read, what they are named after, and what a malformed file gets.
#include "lib/error.hpp"
#include "lib/record/sha256.hpp"
#include "sim/probe/family_file.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>

using namespace kvproof;

namespace {

TEST(FamilyFile, is_read_as_written) {
    const Family family = parse_family(
        R"({"scale": 4, "sources": ["a", "b"], "queries": ["q"], "targets": [["-1/2"], ["0.75"]]})", "f");
    EXPECT_EQ(family.sources, 2);
    EXPECT_EQ(family.queries, 1);
    EXPECT_EQ(family.dim, 1);
    EXPECT_EQ(family.scale, 4);
    EXPECT_EQ(family.target(0, 0)[0], Rational(-1, 2));
    EXPECT_EQ(family.target(1, 0)[0], Rational(3, 4));
    EXPECT_EQ(family.source_names, (std::vector<std::string>{"a", "b"}));
    const std::string table = "family 2 1 1 4\ntargets -1/2\ntargets 3/4\n";
    EXPECT_EQ(table_text(family), table);
    EXPECT_EQ(family.name, "file:" + sha256(table));
    EXPECT_TRUE(family.source_points.empty());
}

TEST(FamilyFile, takes_vectors_and_one_as_the_scale) {
    const Family family = parse_family(
        R"({"sources": ["a", "b"], "queries": ["q", "r"], "targets": [[["1", 2], [0, "0"]], [["1e-1", "1"], [3, 4]]]})",
        "f");
    EXPECT_EQ(family.dim, 2);
    EXPECT_EQ(family.scale, 1);
    EXPECT_EQ(family.target(1, 0)[0], Rational(1, 10));
    EXPECT_EQ(family.target(0, 1)[1], 0);
    EXPECT_EQ(family.target(1, 1)[1], 4);
}

TEST(FamilyFile, has_a_name_that_depends_on_its_table_alone) {
    const auto name = [](const char* text) { return parse_family(text, "f").name; };
    const std::string one = name(R"({"sources": ["a"], "queries": ["q"], "targets": [["0.5"]]})");
    EXPECT_EQ(name(R"({"targets": [["1/2"]], "queries": ["other"], "sources": ["names"], "scale": 1})"), one);
    EXPECT_NE(name(R"({"sources": ["a"], "queries": ["q"], "targets": [["0.25"]]})"), one);
    EXPECT_NE(name(R"({"scale": 2, "sources": ["a"], "queries": ["q"], "targets": [["0.5"]]})"), one);
}

/// What the line about each file of data/bad_families must say.
const std::map<std::string, std::vector<std::string>> faults = {
    {"empty.json", {"byte"}},
    {"list.json", {"an array", "an object"}},
    {"no_sources.json", {"sources", "found nothing", "a list"}},
    {"no_queries.json", {"queries: found 0 entries"}},
    {"many_sources.json", {"sources: found 65 entries", "1 to 64"}},
    {"source_number.json", {"sources", "a number", "names as strings"}},
    {"scale_zero.json", {"scale", "\"0\"", "a positive integer"}},
    {"scale_fraction.json", {"scale", "\"1/2\"", "a positive integer"}},
    {"scale_word.json", {"scale", "\"four\"", "a rational"}},
    {"rows.json", {"targets: found 1 rows", "2, one for each source"}},
    {"short_row.json", {"targets[1]: found 1 targets", "2, one for each query"}},
    {"target_word.json", {"targets[0][0]", "\"one\"", "a rational"}},
    {"target_null.json", {"targets[0][0]", "null"}},
    {"target_zero_denominator.json", {"targets[0][0]", "\"1/0\""}},
    {"target_long.json", {"targets[0][0]", "201 characters", "at most 200"}},
    {"mixed_lengths.json", {"targets[1][0]: found 2 numbers", "1 as in the first target"}},
    {"nine_numbers.json", {"targets[0][0]: found 9 entries", "1 to 8"}},
    {"no_numbers.json", {"targets[0][0]: found 0 entries"}},
    {"twice.json", {"sources"}},
    {"trailing.json", {"byte"}},
};

/// Whether the file is refused in one line that names it and says this.
testing::AssertionResult is_refused(const std::filesystem::path& path,
                                    const std::vector<std::string>& parts) {
    try {
        (void)read_family(path.string());
        return testing::AssertionFailure() << "taken";
    } catch (const Error& error) {
        const std::string line = error.what();
        if (error.code() != ErrorCode::bad_file_format || !line.starts_with(path.string()) ||
            line.find('\n') != std::string::npos)
            return testing::AssertionFailure() << line;
        for (const std::string& part : parts)
            if (line.find(part) == std::string::npos) return testing::AssertionFailure() << line;
        return testing::AssertionSuccess();
    }
}

TEST(FamilyFile, malformed_ones_are_refused_in_one_line) {
    const std::filesystem::path folder = KVPROOF_SOURCE_DIR "/tests/data/bad_families";
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        ASSERT_TRUE(faults.contains(name)) << name;
        EXPECT_TRUE(is_refused(entry.path(), faults.at(name))) << name;
        ++files;
    }
    EXPECT_EQ(files, faults.size());
    EXPECT_FALSE(is_refused(folder / "rows.json", {"another"}));
}

TEST(FamilyFile, that_is_missing_is_refused) {
    try {
        (void)make_family("file:no/such.json");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::file_not_readable);
        EXPECT_NE(std::string(error.what()).find("no/such.json"), std::string::npos);
    }
}

} // namespace
