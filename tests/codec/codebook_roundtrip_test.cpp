#include "lib/codec/codebook_export.hpp"
#include "lib/codec/codebook_file.hpp"
#include "lib/codec/codebook_npy.hpp"
#include "lib/record/file.hpp"
#include "tests/codec/codebook_generator.hpp"
#include "tests/record/refusal.hpp"

#include <charconv>
#include <random>
#include <rapidcheck/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// Equal bit for bit: 0 and -0 differ.
bool same_bits(const Codebook<float>& a, const Codebook<float>& b) {
    const auto equal = [](float x, float y) {
        return rank_of(x) == rank_of(y) && std::signbit(x) == std::signbit(y);
    };
    const auto level = [&](const auto& x, const auto& y) { return std::ranges::equal(x, y, equal); };
    return std::ranges::equal(a.boundaries, b.boundaries, level) &&
           std::ranges::equal(a.centroids, b.centroids, level);
}

Codebook<float> random_codebook_of_any_depth() {
    std::mt19937_64 next(*rc::gen::arbitrary<std::uint64_t>());
    return random_codebook(*rc::gen::inRange(1, 8), next);
}

RC_GTEST_PROP(CodebookRoundTrip, json, ()) {
    const Codebook<float> codebook = random_codebook_of_any_depth();
    const std::string bytes = codebook_to_json(codebook);
    const Codebook<float> read = parse_codebook(bytes, "f.json");
    RC_ASSERT(same_bits(read, codebook));
    RC_ASSERT(codebook_to_json(read) == bytes);
}

RC_GTEST_PROP(CodebookRoundTrip, safetensors, ()) {
    const Codebook<float> codebook = random_codebook_of_any_depth();
    const std::string bytes = codebook_to_safetensors(codebook);
    const Codebook<float> read = parse_codebook(bytes, "f.safetensors");
    RC_ASSERT(same_bits(read, codebook));
    RC_ASSERT(codebook_to_safetensors(read) == bytes);
}

/// .npy holds no boundaries. What is true for every codebook: the centroids come back, the boundaries are the
/// midpoints, and if those are a codebook then writing it again gives the same bytes.
RC_GTEST_PROP(CodebookRoundTrip, npy_keeps_the_centroids, ()) {
    const Codebook<float> codebook = random_codebook_of_any_depth();
    const std::string bytes = codebook_to_npy(codebook);
    Codebook<float> read;
    const Outcome outcome = outcome_of([&] { read = parse_codebook(bytes, "f.npy"); });
    if (outcome.code) {
        RC_ASSERT(*outcome.code == ErrorCode::bad_codebook);
        return;
    }
    RC_ASSERT(same_bits(read, with_midpoint_boundaries(codebook.centroids)));
    RC_ASSERT(codebook_to_npy(read) == bytes);
}

/// With midpoint boundaries the round trip through .npy is the identity.
RC_GTEST_PROP(CodebookRoundTrip, npy_of_a_midpoint_tree, ()) {
    std::mt19937_64 next(*rc::gen::arbitrary<std::uint64_t>());
    const int depth = *rc::gen::inRange(1, 8);
    const float scale = std::fabs(hard_float(next)) / 4096;
    RC_PRE(scale > 0x1p-100F);
    Codebook<float> codebook = naive_lloyd_tree(depth);
    for (auto& level : codebook.centroids)
        for (float& value : level) value *= scale;
    codebook = with_midpoint_boundaries(codebook.centroids);
    require_valid(codebook, "midpoint tree");
    RC_ASSERT(same_bits(parse_codebook(codebook_to_npy(codebook), "f.npy"), codebook));
}

TEST(CodebookRoundTrip, npy_boundaries_are_near_those_of_a_lloyd_table_and_not_equal) {
    const Codebook<float> table = naive_lloyd_tree(8);
    const Codebook<float> read = parse_codebook(codebook_to_npy(table), "f.npy");
    EXPECT_EQ(read.centroids, table.centroids);
    EXPECT_NE(read.boundaries, table.boundaries);
    for (std::size_t i = 0; i < 255; ++i)
        EXPECT_NEAR(read.boundaries[8][i], table.boundaries[8][i], 1e-6) << i;
}

TEST(CodebookRoundTrip, midpoints_are_exact_and_rounded_once) {
    const auto split = [](float a, float b) {
        return with_midpoint_boundaries({{0}, {a, b}}).boundaries[1][0];
    };
    const float largest = std::numeric_limits<float>::max();
    const float least = std::numeric_limits<float>::denorm_min();
    EXPECT_EQ(split(1, 1 + 0x1p-23F), 1);                       // a tie goes to even
    EXPECT_EQ(split(1 + 0x1p-23F, 1 + 0x1p-22F), 1 + 0x1p-22F); // and even may be above
    EXPECT_EQ(split(largest, largest), largest);                // a sum in binary32 would be infinite
    EXPECT_EQ(split(0, least), 0);                              // subnormal ties
    EXPECT_EQ(split(least, 2 * least), 2 * least);
    EXPECT_FALSE(std::signbit(split(-least, 0))); // no -0
    // The other boundaries of a depth are those of the depth above.
    const Codebook<float> tree = with_midpoint_boundaries({{0}, {-2, 2}, {-3, -1, 1, 3}});
    EXPECT_EQ(tree.boundaries[2], (std::vector<float>{-2, 0, 2}));
}

/// The sum of two binary32 numbers may need more than the 53 bits of binary64, but rounding it there first
/// does no harm (53 >= 2 * 24 + 2, Figueroa 1995): another way to the same midpoint.
RC_GTEST_PROP(CodebookRoundTripProperty, midpoints_agree_with_binary64, ()) {
    std::mt19937_64 next(*rc::gen::arbitrary<std::uint64_t>());
    const float a = hard_float(next);
    const float b = hard_float(next);
    const float split = with_midpoint_boundaries({{0}, {a, b}}).boundaries[1][0];
    RC_ASSERT(split == static_cast<float>((double{a} + double{b}) / 2));
}

TEST(CodebookRoundTrip, zero_has_no_sign) {
    Codebook<float> codebook = naive_lloyd_tree(1);
    codebook.boundaries[1][0] = -0.0F;
    codebook.centroids[0][0] = -0.0F;
    for (const auto& [name, bytes] : {std::pair("f.json", codebook_to_json(codebook)),
                                      std::pair("f.safetensors", codebook_to_safetensors(codebook)),
                                      std::pair("f.npy", codebook_to_npy(codebook))}) {
        const Codebook<float> read = parse_codebook(bytes, name);
        EXPECT_FALSE(std::signbit(read.boundaries[1][0])) << name;
        EXPECT_FALSE(std::signbit(read.centroids[0][0])) << name;
    }
    EXPECT_EQ(codebook_to_csv(codebook).find("-0\n"), std::string::npos);
    EXPECT_EQ(codebook_to_c_header(codebook).find("-0x0p"), std::string::npos);
}

/// A row's value in the CSV, read by another way than it was written.
RC_GTEST_PROP(CodebookExport, csv_holds_every_entry, ()) {
    const Codebook<float> codebook = random_codebook_of_any_depth();
    std::istringstream rows(codebook_to_csv(codebook));
    std::string row;
    std::getline(rows, row);
    RC_ASSERT(row == "t,kind,index,value");
    for (std::size_t t = 0; t < codebook.centroids.size(); ++t) {
        for (const char* kind : {"boundary", "centroid"}) {
            const auto& values = *kind == 'b' ? codebook.boundaries[t] : codebook.centroids[t];
            for (std::size_t i = 0; i < values.size(); ++i) {
                std::getline(rows, row);
                const std::string before = std::to_string(t) + "," + kind + "," + std::to_string(i) + ",";
                RC_ASSERT(row.starts_with(before));
                RC_ASSERT(nearest_float32(parse_rational(row.substr(before.size()))) == values[i]);
            }
        }
    }
    RC_ASSERT(!std::getline(rows, row));
}

RC_GTEST_PROP(CodebookExport, c_header_holds_every_entry_exactly, ()) {
    const Codebook<float> codebook = random_codebook_of_any_depth();
    const std::string header = codebook_to_c_header(codebook);
    std::size_t at = 0;
    const auto skip_to = [&](const std::string& text) {
        at = header.find(text, at);
        RC_ASSERT(at != std::string::npos);
        at += text.size();
    };
    const auto check = [&](const char* kind, std::size_t t, const std::vector<float>& values) {
        skip_to("static const float kvproof_lloyd_" + std::string(kind) + "_" + std::to_string(t) + "[" +
                std::to_string(values.size()) + "] = {");
        for (const float value : values) {
            at = header.find_first_not_of(" \n", at);
            const std::size_t end = header.find("f,", at);
            RC_ASSERT(parse_rational(header.substr(at, end - at)) == rational_from(value));
            at = end + 2;
        }
        RC_ASSERT(header.substr(at, 3) == "\n};");
    };
    for (std::size_t t = 1; t < codebook.boundaries.size(); ++t)
        check("boundaries", t, codebook.boundaries[t]);
    for (std::size_t t = 0; t < codebook.centroids.size(); ++t) check("centroids", t, codebook.centroids[t]);
    RC_ASSERT(header.find("#ifndef KVPROOF_LLOYD_CODEBOOK_H\n#define KVPROOF_LLOYD_CODEBOOK_H\n") !=
              std::string::npos);
    RC_ASSERT(header.find("[0]") == std::string::npos); // C has no empty arrays
}

TEST(CodebookExport, golden) {
    const Codebook<float> codebook{{{}, {0.1F}}, {{0}, {-1.5F, 0x1p-149F + 0.1F}}};
    EXPECT_EQ(codebook_to_json(codebook),
              "{\"format\": 1, \"table\": \"lloyd\", \"depth\": 1, \"levels\": [\n"
              "{\"t\": 0, \"boundaries\": [], \"centroids\": [\"0\"]},\n"
              "{\"t\": 1, \"boundaries\": [\"0.1\"], \"centroids\": [\"-1.5\", \"0.1\"]}\n"
              "]}\n");
    EXPECT_EQ(codebook_to_csv(codebook), "t,kind,index,value\n0,centroid,0,0\n1,boundary,0,0.1\n"
                                         "1,centroid,0,-1.5\n1,centroid,1,0.1\n");
    EXPECT_NE(codebook_to_c_header(codebook).find("kvproof_lloyd_centroids_1[2] = {\n    -0x1.8p+0f, "),
              std::string::npos);
    const std::string tensors = codebook_to_safetensors(codebook);
    EXPECT_TRUE(tensors.substr(8).starts_with(
        R"({"boundaries.0":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"boundaries.1":{"dtype":"F32",)"));
    EXPECT_EQ(tensors.size() % 4, 0U);
}

TEST(CodebookFile, reads_from_disk_and_names_the_file) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("kvproof-codebook-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const Codebook<float> codebook = with_midpoint_boundaries(naive_lloyd_tree(3).centroids);
    write_file_atomically(folder / "a.json", codebook_to_json(codebook));
    write_file_atomically(folder / "a.NPY", codebook_to_npy(codebook)); // the ending in any case
    write_file_atomically(folder / "a.safetensors", codebook_to_safetensors(codebook));
    for (const char* name : {"a.json", "a.NPY", "a.safetensors"})
        EXPECT_TRUE(same_bits(read_codebook(folder / name), codebook)) << name;
    EXPECT_TRUE(refuses([&] { (void)read_codebook(folder / "b.json"); }, ErrorCode::file_not_readable,
                        {(folder / "b.json").string()}));
    std::filesystem::resize_file(folder / "a.json", largest_codebook_file + 1);
    EXPECT_TRUE(refuses([&] { (void)read_codebook(folder / "a.json"); }, ErrorCode::bad_file_format,
                        {(folder / "a.json").string(), "expected at most 67108864"}));
    std::filesystem::remove_all(folder);
}

TEST(CodebookFile, without_an_ending_the_content_decides) {
    const Codebook<float> codebook = with_midpoint_boundaries(naive_lloyd_tree(3).centroids);
    for (const std::string& bytes : {codebook_to_json(codebook), " \n" + codebook_to_json(codebook),
                                     codebook_to_npy(codebook), codebook_to_safetensors(codebook)})
        for (const char* name : {"codebook", "codebook.bin", ".json", "/tmp/x.npy/codebook"})
            EXPECT_TRUE(same_bits(parse_codebook(bytes, name), codebook)) << name;
    for (const std::string& bytes : {std::string(), std::string("[]"), codebook_to_csv(codebook),
                                     codebook_to_c_header(codebook), std::string(8, '\0')})
        EXPECT_TRUE(refuses([&] { (void)parse_codebook(bytes, "codebook"); }, ErrorCode::bad_file_format,
                            {"codebook: ", "neither JSON nor safetensors nor .npy"}));
    // The ending is a promise.
    EXPECT_TRUE(refuses([&] { (void)parse_codebook(codebook_to_npy(codebook), "f.json"); },
                        ErrorCode::bad_file_format, {"f.json: "}));
}

} // namespace
