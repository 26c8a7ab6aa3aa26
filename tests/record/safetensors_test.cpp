#include "lib/record/safetensors.hpp"

#include "lib/record/file.hpp"
#include "lib/record/json_value.hpp"
#include "lib/record/little_endian.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

std::string file_of(const std::string& header, const std::string& data) {
    std::string out;
    append_little_endian<std::uint64_t>(out, header.size());
    return out + header + data;
}

/// A file of two tensors whose second has this JSON entry, with 16 bytes of data: a is the first 8.
std::string file_with(const std::string& entry) {
    return file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":)" + entry + "}",
                   std::string(16, '\0'));
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return "{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

void read(const std::string& bytes) {
    (void)read_safetensors(bytes, "f.safetensors");
}

testing::AssertionResult refused(const std::string& bytes, std::vector<std::string> parts) {
    parts.push_back("f.safetensors: ");
    return refuses([&] { read(bytes); }, ErrorCode::bad_file_format, parts);
}

TEST(Safetensors, reads_what_is_there) {
    const std::string bytes = file_of(
        R"({"b":{"dtype":"U8","shape":[0,3],"data_offsets":[8,8]},"__metadata__":{"k":"v"},"a":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}}   )",
        "12345678");
    const Safetensors file = read_safetensors(bytes, "f");
    ASSERT_EQ(file.tensors.size(), 2U);
    EXPECT_EQ(file.tensors[0].name, "a"); // in the order of the data
    EXPECT_EQ(file.find("a")->dtype, "F16");
    EXPECT_EQ(file.find("a")->shape, (Shape{2, 2}));
    EXPECT_EQ(file.find("a")->data, "12345678");
    EXPECT_EQ(file.find("b")->data, "");
    EXPECT_EQ(file.find("c"), nullptr);
    EXPECT_EQ(file.metadata.at("k"), "v");
    EXPECT_EQ(read_safetensors(file_of("{}", ""), "f").tensors.size(), 0U);
}

RC_GTEST_PROP(SafetensorsProperty, reading_gives_back_what_was_written, ()) {
    const auto names = *rc::gen::unique<std::vector<std::string>>(rc::gen::nonEmpty(
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab.0\"\\\n\x01{}")))));
    std::vector<TensorView> tensors;
    const std::string pool(64, 'x');
    for (const std::string& name : names) {
        const Shape shape = *rc::gen::container<Shape>(*rc::gen::inRange(0, 3), rc::gen::inRange(0UL, 3UL));
        tensors.push_back({name, "I16", shape, std::string_view(pool).substr(0, *byte_count(shape, 2))});
    }
    const std::string bytes = write_safetensors(tensors);
    RC_ASSERT(load_little_endian<std::uint64_t>(bytes) % 8 == 0);
    const Safetensors file = read_safetensors(bytes, "f");
    RC_ASSERT(file.tensors.size() == tensors.size());
    for (const TensorView& tensor : tensors) {
        const TensorView* found = file.find(tensor.name);
        RC_ASSERT(found != nullptr);
        RC_ASSERT(found->shape == tensor.shape);
        RC_ASSERT(found->data == tensor.data);
    }
}

TEST(Safetensors, refuses_header_lengths_beyond_the_file) {
    const std::string good = file_with(entry("\"F32\"", "[2]", "[8,16]"));
    read(good);
    EXPECT_TRUE(refused("", {"found 0 bytes"}));
    EXPECT_TRUE(refused("1234567", {"found 7 bytes"}));
    for (const std::uint64_t length :
         {std::uint64_t{good.size() - 7}, std::uint64_t{1} << 63, ~std::uint64_t{0}, ~std::uint64_t{0} - 6}) {
        std::string bytes;
        append_little_endian(bytes, length);
        EXPECT_TRUE(refused(bytes + good.substr(8),
                            {"header length of " + std::to_string(length), std::to_string(good.size() - 8)}));
    }
    EXPECT_TRUE(refused(file_of("", "{}"), {"begin with"}));
    EXPECT_TRUE(refused(file_of(" {}", ""), {"begin with"}));
    EXPECT_TRUE(refused(file_of("[]", ""), {"begin with"}));
    EXPECT_TRUE(refused(file_of("{} x", ""), {"header", "byte 4"}));
    EXPECT_TRUE(refused(file_of("{\"\xff\":1}", ""), {"header", "byte 3"}));
    EXPECT_TRUE(refused(file_of("{\"a\":" + std::string(60000, '[') + "}", ""), {"header", "deeper"}));
}

TEST(Safetensors, refuses_entries_that_are_not_whole) {
    EXPECT_TRUE(refused(file_with("[]"), {"tensor \"b\"", "found an array"}));
    EXPECT_TRUE(
        refused(file_with(R"({"dtype":"F32","shape":[2]})"), {"tensor \"b\"", "found no data_offsets"}));
    EXPECT_TRUE(refused(file_with(R"({"dtype":"F32","data_offsets":[8,16]})"), {"tensor \"b\"", "no shape"}));
    EXPECT_TRUE(refused(file_with(R"({"shape":[2],"data_offsets":[8,16]})"), {"tensor \"b\"", "no dtype"}));
    EXPECT_TRUE(refused(file_with(R"({"dtype":"F32","shape":[2],"data_offsets":[8,16],"x":1})"),
                        {"tensor \"b\"", "the key \"x\""}));
    EXPECT_TRUE(refused(file_with(entry("\"F33\"", "[2]", "[8,16]")), {"tensor \"b\"", "dtype \"F33\""}));
    EXPECT_TRUE(refused(file_with(entry("3", "[2]", "[8,16]")), {"tensor \"b\"", "found a number as dtype"}));
    EXPECT_TRUE(refused(file_of(R"({"a":{},"a":{}})", ""), {"the key \"a\" twice"}));
    EXPECT_TRUE(refused(file_of(R"({"__metadata__":[]})", ""), {"__metadata__", "found an array"}));
    EXPECT_TRUE(refused(file_of(R"({"__metadata__":{"k":1}})", ""), {"__metadata__", "a number as \"k\""}));
}

TEST(Safetensors, refuses_shapes_that_are_no_sizes) {
    for (const char* shape :
         {"[-2]", "[2.0]", "[2.5]", "[2e0]", "[\"2\"]", "[18446744073709551616]", "[null]"})
        EXPECT_TRUE(refused(file_with(entry("\"F32\"", shape, "[8,16]")), {"tensor \"b\"", "in shape"}))
            << shape;
    EXPECT_TRUE(
        refused(file_with(entry("\"F32\"", "2", "[8,16]")), {"tensor \"b\"", "found a number as shape"}));
    EXPECT_TRUE(refused(file_with(entry("\"F32\"", "[4294967296,4294967296,4]", "[8,16]")),
                        {"tensor \"b\"", "found shape [4294967296, 4294967296, 4]"}));
    EXPECT_TRUE(refused(file_with(entry("\"F32\"", "[4611686018427387904]", "[8,8]")), {"below 2^64 bytes"}));
    EXPECT_TRUE(refused(file_with(entry("\"F32\"", "[4294967296,4294967296,0]", "[8,8]")), {"2^64 bytes"}));
    EXPECT_TRUE(refused(file_with(entry("\"F32\"", "[1,1,1,1,1,1,1,1,2]", "[8,16]")), {"9 dimensions"}));
}

TEST(Safetensors, refuses_offsets_that_do_not_tile_the_file) {
    const auto with = [](const char* offsets) { return file_with(entry("\"F32\"", "[2]", offsets)); };
    EXPECT_TRUE(refused(with("[16,8]"), {"tensor \"b\"", "[16, 8]", "begin <= end"}));
    EXPECT_TRUE(refused(with("[-8,16]"), {"tensor \"b\"", "in data_offsets"}));
    EXPECT_TRUE(refused(with("[8]"), {"tensor \"b\"", "found 1 data_offsets"}));
    EXPECT_TRUE(refused(with("[8,16,24]"), {"tensor \"b\"", "found 3 data_offsets"}));
    EXPECT_TRUE(refused(with("[16,24]"), {"tensor \"b\"", "[16, 24]", "at most 16"}));
    EXPECT_TRUE(refused(with("[18446744073709551608,18446744073709551615]"), {"tensor \"b\"", "at most 16"}));
    EXPECT_TRUE(refused(with("[12,16]"), {"tensor \"b\"", "8 bytes for F32 of shape [2]"}));
    EXPECT_TRUE(refused(with("[0,8]"), {"tensor \"b\"", "offset 0, expected 8"}));                // overlap
    EXPECT_TRUE(refused(with("[4,12]"), {"tensor \"b\"", "offset 4, expected 8"}));               // overlap
    EXPECT_TRUE(refused(with("[8,16]") + "x", {"found 17 bytes after the header, expected 16"})); // trailing
    EXPECT_TRUE(refused(file_of("{}", "x"), {"found 1 bytes after the header, expected 0"}));
    EXPECT_TRUE(refused(file_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "xy"),
                        {"tensor \"a\"", "offset 1, expected 0"})); // a gap before the first
    EXPECT_TRUE(refused(
        file_of(
            R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
            "xyz"),
        {"tensor \"b\"", "offset 2, expected 1"})); // a gap between
}

TEST(Safetensors, damage_is_refused_or_harmless) {
    const std::string good = file_with(entry("\"F32\"", "[1, 2]", "[8,16]"));
    std::mt19937_64 next(1);
    for (int i = 0; i < 5000; ++i) {
        const std::string bytes = damaged(good, next);
        const Outcome outcome = outcome_of([&] { read(bytes); });
        EXPECT_EQ(outcome.code.value_or(ErrorCode::bad_file_format), ErrorCode::bad_file_format)
            << outcome.line;
    }
}

TEST(Safetensors, the_malformed_files) {
    const std::filesystem::path folder = bad_files();
    const JsonValue table = parse_json(read_file(folder / "expected.json", 1 << 20), "expected.json");
    // What the format itself forbids; the other codes are about captures.
    const std::vector<std::string> format_codes = {"truncated", "header_length", "json", "duplicate",
                                                   "offsets"};
    const std::vector<std::string> also = {"dtype_unknown.safetensors", "shape_overflow.safetensors",
                                           "shape_negative.safetensors", "shape_fraction.safetensors"};
    int seen = 0;
    for (const JsonValue& row : table.items) {
        const std::string& name = row.find("file")->text;
        if (!name.ends_with(".safetensors")) continue;
        const bool bad = std::ranges::find(format_codes, row.find("code")->text) != format_codes.end() ||
                         std::ranges::find(also, name) != also.end();
        const std::string bytes = read_file(folder / name, 1 << 20);
        const auto load = [&] { (void)read_safetensors(bytes, name); };
        if (bad) {
            EXPECT_TRUE(refuses(load, ErrorCode::bad_file_format, {name})) << name;
        } else {
            EXPECT_NO_THROW(load()) << name;
        }
        ++seen;
    }
    EXPECT_GT(seen, 30);
}

} // namespace
