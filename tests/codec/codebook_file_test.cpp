#include "lib/codec/codebook_file.hpp"

#include "lib/codec/codebook_export.hpp"
#include "lib/record/file.hpp"
#include "lib/record/little_endian.hpp"
#include "lib/record/npy.hpp"
#include "lib/record/safetensors.hpp"
#include "tests/codec/codebook_generator.hpp"
#include "tests/record/refusal.hpp"

#include <random>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using enum ErrorCode;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

testing::AssertionResult refused(const std::string& bytes, const std::string& name, ErrorCode code,
                                 const std::vector<std::string>& parts) {
    std::vector<std::string> all = {name + ": "};
    all.insert(all.end(), parts.begin(), parts.end());
    return refuses([&] { (void)parse_codebook(bytes, name); }, code, all);
}

/// A file with one thing replaced, and how the reader must refuse it.
struct Malformed {
    std::string from;
    std::string to;
    ErrorCode code;
    std::vector<std::string> named;
};

const std::string good_json =
    R"({"table": "lloyd", "depth": 1, "levels": [)"
    R"({"t": 0, "distortion": "1", "gain": null, "boundaries": [], "centroids": ["0"]},)"
    R"({"t": 1, "boundaries": ["0.5"], "centroids": ["-1", "1"]}]})";

const std::vector<Malformed> malformed_json = {
    {"]}]}", "]}]} x", bad_file_format, {"byte"}},
    {"]}]}", "]}]", bad_file_format, {"byte"}},
    {"\"depth\": 1", "\"depth\": 1, \"depth\": 1", bad_file_format, {"\"depth\" twice"}},
    {"\"t\": 1,", "\"t\": 1, \"t\": 1,", bad_file_format, {"\"t\" twice"}},
    {"lloyd", "llo\xffyd", bad_file_format, {"byte"}},
    {"null", std::string(100000, '['), bad_file_format, {"deeper"}},
    {"lloyd", "separation", bad_file_format, {"table", "separation", "lloyd"}},
    {"\"table\": \"lloyd\"", "\"table\": 1", bad_file_format, {"table", "a number", "a string"}},
    {"\"table\": \"lloyd\", ", "", bad_file_format, {"no table"}},
    {"\"depth\": 1, ", "", bad_file_format, {"no depth"}},
    {"\"depth\": 1", "\"depth\": 2", bad_file_format, {"depth 2", "expected 1"}},
    {"\"depth\": 1", "\"depth\": 1.0", bad_file_format, {"depth 1.0", "expected 1"}},
    {"\"depth\": 1", "\"depth\": \"1\"", bad_file_format, {"depth", "a string", "a number"}},
    {"\"levels\"", "\"level\"", bad_file_format, {"no levels"}},
    {"\"levels\": [", "\"levels\": {}, \"x\": [", bad_file_format, {"levels", "an object", "an array"}},
    {"\"levels\": [", "\"levels\": [], \"x\": [", bad_codebook, {"0 levels"}},
    {"{\"t\": 1", "1, {\"t\": 1", bad_file_format, {"depth 1, expected 2"}},
    {"\"depth\": 1, \"levels\": [",
     "\"depth\": 2, \"levels\": [7, ",
     bad_file_format,
     {"levels[0]", "found a number, expected an object"}},
    {"\"t\": 1", "\"t\": 2", bad_file_format, {"levels[1]", "t 2", "expected 1"}},
    {"\"t\": 1, ", "", bad_file_format, {"levels[1]", "no t"}},
    {"\"boundaries\": [\"0.5\"], ", "", bad_file_format, {"levels[1]", "no boundaries"}},
    {", \"centroids\": [\"-1\", \"1\"]", "", bad_file_format, {"levels[1]", "no centroids"}},
    {"[\"0.5\"]", "\"0.5\"", bad_file_format, {"levels[1]", "boundaries", "a string", "an array"}},
    {"[\"0.5\"]", "[]", bad_codebook, {"boundaries.1", "0 entries, expected 1"}},
    {"\"1\"]}]", "\"1\", \"2\"]}]", bad_codebook, {"centroids.1", "3 entries, expected 2"}},
    {"\"boundaries\": []",
     "\"boundaries\": [\"0\"]",
     bad_codebook,
     {"boundaries.0", "1 entries, expected 0"}},
    {"\"0.5\"", "\"0,5\"", bad_file_format, {"boundaries.1[0]", "\"0,5\""}},
    {"\"0.5\"", "\"NaN\"", bad_file_format, {"boundaries.1[0]", "\"NaN\""}},
    {"\"0.5\"", "\"inf\"", bad_file_format, {"boundaries.1[0]", "\"inf\""}},
    {"\"0.5\"", "\"\"", bad_file_format, {"boundaries.1[0]", "\"\""}},
    {"\"0.5\"", "\" 0.5\"", bad_file_format, {"boundaries.1[0]"}},
    {"\"0.5\"", "\"1/0\"", bad_file_format, {"boundaries.1[0]"}},
    {"\"0.5\"", "null", bad_file_format, {"boundaries.1[0]", "null", "a decimal string"}},
    {"\"0.5\"", "[0.5]", bad_file_format, {"boundaries.1[0]", "an array"}},
    {"\"0.5\"", "\"1e39\"", bad_codebook, {"boundaries.1[0]", "1e39", "binary32"}},
    {"\"0.5\"", "\"1e-1000\"", bad_file_format, {"boundaries.1[0]", "\"1e-1000\"", "three digits"}},
    {"\"0.5\"", "\"0x1p-1000\"", bad_file_format, {"boundaries.1[0]", "three digits"}},
    {"\"0.5\"", "\"1e\"", bad_file_format, {"boundaries.1[0]", "\"1e\""}},
    {"\"0.5\"", "1e999", bad_file_format, {"beyond binary64"}},
    {"\"0.5\"",
     "\"0." + std::string(2000, '1') + "\"",
     bad_file_format,
     {"boundaries.1[0]", "2002 characters"}},
    {"\"0.5\"", "\"2\"", bad_codebook, {"centroids.1[1]", "outside its cell"}}, // require_valid is called
};

TEST(CodebookFile, malformed_json) {
    ASSERT_NO_THROW((void)parse_codebook(good_json, "f.json"));
    for (const Malformed& row : malformed_json)
        EXPECT_TRUE(refused(replaced(good_json, row.from, row.to), "f.json", row.code, row.named))
            << row.from << " -> " << row.to.substr(0, 80);
    EXPECT_TRUE(refused("", "f.json", bad_file_format, {"byte"}));
    EXPECT_TRUE(refused("[]", "f.json", bad_file_format, {"an array", "an object"}));
}

TEST(CodebookFile, json_levels_beyond_12_cost_nothing) {
    std::string levels;
    for (int t = 0; t <= 13; ++t) levels += (t == 0 ? "" : ",") + std::string("{}");
    EXPECT_TRUE(refused("{\"table\": \"lloyd\", \"depth\": 13, \"levels\": [" + levels + "]}", "f.json",
                        bad_codebook, {"found 14 levels"}));
}

/// The first boundary of depth 1, as its text in the file denotes it.
float boundary_from(const std::string& text) {
    std::string file = replaced(good_json, "\"0.5\"", text);
    file = replaced(file, "[\"-1\", \"1\"]", "[\"-1e30\", \"1e30\"]");
    return parse_codebook(file, "f.json").boundaries[1][0];
}

TEST(CodebookFile, json_numbers_are_read_exactly_and_rounded_once) {
    const float above = 1 + 0x1p-23F;
    const std::string tie = "1.000000059604644775390625"; // 1 + 2^-24
    const std::string more = tie + std::string(40, '0') + "1";
    EXPECT_EQ(boundary_from("\"" + tie + "\""), 1);
    EXPECT_EQ(boundary_from("\"" + more + "\""), above); // through binary64 it would be the tie
    EXPECT_EQ(boundary_from(more), above);               // as a JSON number too
    EXPECT_EQ(boundary_from(tie), 1);
    EXPECT_EQ(boundary_from("1"), 1);
    EXPECT_EQ(boundary_from("-0"), 0);
    EXPECT_EQ(boundary_from("1.5E+2"), 150);
    EXPECT_EQ(boundary_from("18446744073709551617"), 0x1p64F);
    EXPECT_EQ(boundary_from("\"1/3\""), 1.0F / 3);
    EXPECT_EQ(boundary_from("\"-0x1.8p-3\""), -0.1875F);
    EXPECT_EQ(boundary_from("\"0x1ep1\""), 60); // an e that is a digit
    EXPECT_EQ(boundary_from("\"1e-45\""), 0x1p-149F);
    EXPECT_FALSE(std::signbit(boundary_from("\"-1e-60\"")));
}

TEST(CodebookFile, level_0_needs_no_boundaries_and_other_members_are_passed_over) {
    const std::string file = replaced(good_json, "\"boundaries\": [], ", "\"note\": {\"a\": [1]}, ");
    EXPECT_EQ(codebook_to_json(parse_codebook(file, "f.json")),
              codebook_to_json(parse_codebook(good_json, "f.json")));
}

/// A decimal takes exact arithmetic of the size of its exponent and length: the worst file of depth 12 that
/// passes both limits is refused in a second, not in minutes.
TEST(CodebookFile, hostile_numbers_cost_little_time) {
    const std::string worst = "\"0." + std::string(1990, '7') + "e-999\"";
    std::string levels;
    for (std::size_t t = 0; t <= 12; ++t) {
        std::string list;
        for (std::size_t i = 0; i < (std::size_t{1} << t); ++i) list += (i == 0 ? "" : ",") + worst;
        const std::string inner = t == 0 ? "" : list.substr(0, list.size() - worst.size() - 1);
        levels += (t == 0 ? "" : ",") + std::string("{\"t\":") + std::to_string(t) + ",\"boundaries\":[" +
                  inner + "],\"centroids\":[" + list + "]}";
    }
    EXPECT_TRUE(refused("{\"table\":\"lloyd\",\"depth\":12,\"levels\":[" + levels + "]}", "f.json",
                        bad_codebook, {"boundaries.2[1]"}));
}

/// F32 tensors of a codebook of depth 1.
struct Tensors {
    std::string boundaries = std::string("\0\0\0\0", 4);                 // 0
    std::string centroids0 = std::string("\0\0\0\0", 4);                 // 0
    std::string centroids1 = std::string("\0\0\x80\xbf\0\0\x80\x3f", 8); // -1, 1
    std::vector<TensorView> views() const {
        return {{"boundaries.1", "F32", {1}, boundaries},
                {"centroids.0", "F32", {1}, centroids0},
                {"centroids.1", "F32", {2}, centroids1}};
    }
};

TEST(CodebookFile, malformed_safetensors) {
    const Tensors good;
    const auto refused_with = [](const std::vector<TensorView>& views, ErrorCode code,
                                 const std::vector<std::string>& parts) {
        return refused(write_safetensors(views), "f.safetensors", code, parts);
    };
    ASSERT_NO_THROW((void)parse_codebook(write_safetensors(good.views()), "f.safetensors"));
    const auto changed = [&](auto change) {
        std::vector<TensorView> views = good.views();
        change(views);
        return views;
    };
    EXPECT_TRUE(refused_with(changed([](auto& v) { v[0].dtype = "I32"; }), bad_file_format,
                             {"tensor \"boundaries.1\"", "found dtype I32", "expected F32"}));
    EXPECT_TRUE(refused_with(changed([](auto& v) {
                                 v[0].shape = {1, 1};
                             }),
                             bad_file_format,
                             {"tensor \"boundaries.1\"", "found shape [1, 1]", "one dimension"}));
    EXPECT_TRUE(refused_with(changed([](auto& v) { v[0].shape = {}; }), bad_file_format,
                             {"tensor \"boundaries.1\"", "found shape []"}));
    EXPECT_TRUE(refused_with(changed([&](auto& v) {
                                 v[0] = {"boundaries.1", "F32", {2}, good.centroids1};
                             }),
                             bad_codebook, {"boundaries.1", "2 entries, expected 1"}));
    EXPECT_TRUE(refused_with(changed([&](auto& v) {
                                 v[2] = {"centroids.1", "F32", {1}, good.boundaries};
                             }),
                             bad_codebook, {"centroids.1", "1 entries, expected 2"}));
    EXPECT_TRUE(refused_with(changed([&](auto& v) {
                                 v.push_back({"boundaries.0", "F32", {1}, good.boundaries});
                             }),
                             bad_codebook, {"boundaries.0", "1 entries, expected 0"}));
    EXPECT_TRUE(refused_with(changed([](auto& v) { v.erase(v.begin()); }), bad_file_format,
                             {"\"centroids.1\" but no \"boundaries.1\""}));
    EXPECT_TRUE(refused_with(changed([](auto& v) { v.pop_back(); }), bad_file_format,
                             {"found tensor \"boundaries.1\", expected boundaries.{t}"}));
    EXPECT_TRUE(refused_with(changed([](auto& v) { v[1].name = "centroids.00"; }), bad_file_format,
                             {"expected boundaries.{t}"}));
    EXPECT_TRUE(refused_with(changed([&](auto& v) {
                                 v.push_back({"weights", "F32", {1}, good.boundaries});
                             }),
                             bad_file_format, {"found tensor \"weights\""}));
    EXPECT_TRUE(
        refused_with({{"centroids.0", "F32", {1}, good.centroids0}}, bad_codebook, {"found 1 levels"}));
    EXPECT_TRUE(refused_with({}, bad_codebook, {"found 0 levels"}));
    const std::string nan_bytes("\0\0\xc0\x7f", 4);
    const std::string infinity_bytes("\0\0\x80\x7f", 4);
    const std::string two("\0\0\0\x40", 4);
    EXPECT_TRUE(refused_with(changed([&](auto& v) { v[0].data = nan_bytes; }), bad_codebook,
                             {"boundaries.1[0]", "NaN"}));
    EXPECT_TRUE(refused_with(changed([&](auto& v) { v[1].data = infinity_bytes; }), bad_codebook,
                             {"centroids.0[0]", "infinity"}));
    EXPECT_TRUE(refused_with(changed([&](auto& v) { v[0].data = two; }), bad_codebook,
                             {"centroids.1[1]", "outside its cell"}));
    // What the container itself refuses is tested in tests/record.
    EXPECT_TRUE(
        refused(write_safetensors(good.views()) + "x", "f.safetensors", bad_file_format, {"17 bytes"}));
}

TEST(CodebookFile, safetensors_may_spell_out_level_0_and_13_is_too_deep) {
    const Tensors good;
    std::vector<TensorView> views = good.views();
    views.push_back({"boundaries.0", "F32", {0}, ""});
    EXPECT_EQ(codebook_to_json(parse_codebook(write_safetensors(views), "f")),
              codebook_to_json(parse_codebook(write_safetensors(good.views()), "f")));
    std::mt19937_64 next(1);
    EXPECT_NO_THROW(
        (void)parse_codebook(codebook_to_safetensors(random_codebook(12, next)), "f.safetensors"));
    EXPECT_TRUE(refused(codebook_to_safetensors(random_codebook(13, next)), "f.safetensors", bad_file_format,
                        {"found tensor", ".13\"", "at most 12"}));
}

std::string npy_of(const std::vector<float>& centroids) {
    std::string data;
    for (const float value : centroids) append_float32(data, value);
    return write_npy({"<f4", false, {centroids.size()}, data});
}

TEST(CodebookFile, malformed_npy) {
    const std::string good = npy_of({0, -1, 1});
    ASSERT_NO_THROW((void)parse_codebook(good, "f.npy"));
    const auto with = [&](const std::string& from, const std::string& to) {
        return replaced(good, from, to);
    };
    EXPECT_TRUE(refused(with("<f4", ">f4"), "f.npy", bad_file_format, {"descr", "\">f4\"", "\"<f4\""}));
    EXPECT_TRUE(refused(with("<f4", "<i4"), "f.npy", bad_file_format, {"descr", "\"<i4\""}));
    EXPECT_TRUE(refused(with("<f4", "|O "), "f.npy", bad_file_format, {"descr"}));
    EXPECT_TRUE(refused(with("False", "True "), "f.npy", bad_file_format, {"fortran_order", "True"}));
    EXPECT_TRUE(refused(with("(3,)", "(3,1)"), "f.npy", bad_file_format, {"shape", "[3, 1]"}));
    for (const std::size_t count : {0, 1, 2, 4, 8, 16383, 16382})
        EXPECT_TRUE(refused(npy_of(std::vector<float>(count, 0)), "f.npy", bad_codebook,
                            {"shape", std::to_string(count) + " centroids", "2^(W+1) - 1"}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(refused(npy_of({0, nan, 1}), "f.npy", bad_codebook, {"centroids.1[0]", "NaN"}));
    EXPECT_TRUE(refused(npy_of({0, -1, infinity}), "f.npy", bad_codebook, {"centroids.1[1]", "infinity"}));
    EXPECT_TRUE(refused(npy_of({0, 1, -1}), "f.npy", bad_codebook, {"centroids.1[0]", "outside its cell"}));
    EXPECT_TRUE(refused(good + "x", "f.npy", bad_file_format, {"13 bytes of data, expected 12"}));
}

TEST(CodebookFile, damage_is_refused_or_gives_a_valid_codebook) {
    std::mt19937_64 next(20);
    const Codebook<float> codebook = naive_lloyd_tree(3);
    for (const auto& [name, good] :
         {std::pair("f.json", codebook_to_json(codebook)),
          std::pair("f.safetensors", codebook_to_safetensors(codebook)),
          std::pair("f.npy", codebook_to_npy(codebook)), std::pair("f", codebook_to_safetensors(codebook))}) {
        int accepted = 0;
        for (int i = 0; i < 3000; ++i) {
            std::string bytes = damaged(good, next);
            if (i % 3 == 0 && !bytes.empty()) bytes = damaged(bytes, next);
            Codebook<float> read;
            const Outcome outcome = outcome_of([&] { read = parse_codebook(bytes, name); });
            if (outcome.code) {
                EXPECT_TRUE(*outcome.code == bad_file_format || *outcome.code == bad_codebook)
                    << outcome.line;
                EXPECT_TRUE(outcome.line.starts_with(std::string(name) + ": ")) << outcome.line;
            } else {
                EXPECT_NO_THROW(require_valid(read, name));
                ++accepted;
            }
        }
        EXPECT_GT(accepted, 0) << name; // some changes only change a value
        EXPECT_LT(accepted, 2000) << name;
    }
}

TEST(CodebookFile, the_malformed_files_are_refused) {
    const std::filesystem::path folder = bad_files();
    int seen = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (!file.is_regular_file()) continue;
        EXPECT_TRUE(
            refuses([&] { (void)read_codebook(file.path()); }, bad_file_format, {file.path().string()}));
        ++seen;
    }
    EXPECT_GT(seen, 40);
}

} // namespace
