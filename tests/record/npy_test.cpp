#include "lib/record/npy.hpp"

#include "lib/record/file.hpp"
#include "lib/record/json_value.hpp"
#include "lib/record/little_endian.hpp"
#include "tests/record/refusal.hpp"

#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

std::string file_of(const std::string& dictionary, const std::string& data, char version = 1) {
    std::string out = "\x93NUMPY";
    out += {version, '\0'};
    if (version == 1)
        append_little_endian<std::uint16_t>(out, static_cast<std::uint16_t>(dictionary.size()));
    else
        append_little_endian<std::uint32_t>(out, static_cast<std::uint32_t>(dictionary.size()));
    return out + dictionary + data;
}

std::string dictionary(const std::string& descr, const std::string& order, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

testing::AssertionResult refused(const std::string& bytes, std::vector<std::string> parts) {
    parts.push_back("f.npy: ");
    return refuses([&] { (void)read_npy(bytes, "f.npy"); }, ErrorCode::bad_file_format, parts);
}

TEST(Npy, reads_every_version_and_spelling) {
    const std::string text = dictionary("'<f4'", "False", "(2, 1)");
    for (const char version : {'\1', '\2', '\3'}) {
        const std::string bytes = file_of(text, "12345678", version);
        const NpyView array = read_npy(bytes, "f");
        EXPECT_EQ(array.dtype, "<f4");
        EXPECT_FALSE(array.fortran_order);
        EXPECT_EQ(array.shape, (Shape{2, 1}));
        EXPECT_EQ(array.data, "12345678");
    }
    const std::string other = file_of("{\"shape\":(3,),'fortran_order':True,'descr':\"|u1\"}", "123");
    EXPECT_TRUE(read_npy(other, "f").fortran_order);
    EXPECT_EQ(read_npy(other, "f").shape, (Shape{3}));
    const std::string scalar = file_of(dictionary("'>c16'", "False", "()"), std::string(16, 'x'));
    EXPECT_EQ(read_npy(scalar, "f").shape, Shape{});
}

TEST(Npy, writes_what_numpy_writes) {
    // numpy.save of numpy.zeros(3, '<f4')
    const std::string numpy = std::string("\x93NUMPY\x01\x00v\x00", 10) +
                              "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" +
                              std::string(60, ' ') + "\n" + std::string(12, '\0');
    EXPECT_EQ(write_npy({"<f4", false, {3}, std::string_view(numpy).substr(128)}), numpy);
}

RC_GTEST_PROP(NpyProperty, reading_gives_back_what_was_written, ()) {
    const Shape shape = *rc::gen::container<Shape>(*rc::gen::inRange(0, 5), rc::gen::inRange(0UL, 3UL));
    const std::string pool(200, 'x');
    const NpyView array{"<i2", *rc::gen::arbitrary<bool>(), shape,
                        std::string_view(pool).substr(0, *byte_count(shape, 2))};
    const std::string bytes = write_npy(array);
    RC_ASSERT((bytes.size() - array.data.size()) % 64 == 0);
    const NpyView found = read_npy(bytes, "f");
    RC_ASSERT(found.dtype == array.dtype);
    RC_ASSERT(found.fortran_order == array.fortran_order);
    RC_ASSERT(found.shape == array.shape);
    RC_ASSERT(found.data == array.data);
}

TEST(Npy, refuses_broken_beginnings) {
    const std::string good = file_of(dictionary("'<f4'", "False", "(2,)"), "12345678");
    ASSERT_NO_THROW((void)read_npy(good, "f"));
    EXPECT_TRUE(refused("", {"at its beginning"}));
    EXPECT_TRUE(refused("\x93NUMPX" + good.substr(6), {"\"\\x93NUMPX\"", "\"\\x93NUMPY\""}));
    EXPECT_TRUE(refused(good.substr(0, 7), {"expected a version"}));
    EXPECT_TRUE(refused(good.substr(0, 9), {"inside the header length"}));
    for (std::string version : {"\x00\x00", "\x04\x00", "\x09\x00", "\x01\x01"}) {
        version.resize(2);
        EXPECT_TRUE(refused(good.substr(0, 6) + version + good.substr(8), {"found version"}));
    }
    EXPECT_TRUE(refused(good.substr(0, 8) + "\xff\xff" + good.substr(10), {"header length of 65535"}));
    const std::string two = file_of(dictionary("'<f4'", "False", "(2,)"), "12345678", 2);
    EXPECT_TRUE(refused(two.substr(0, 8) + "\xff\xff\xff\xff" + two.substr(12), {"length of 4294967295"}));
}

TEST(Npy, refuses_dictionaries_that_numpy_does_not_write) {
    const auto with = [](const std::string& text) { return file_of(text, "12345678"); };
    EXPECT_TRUE(refused(with(""), {"header: found its end"}));
    EXPECT_TRUE(refused(with("{'descr': '<f4', 'fortran_order': False}"), {"found no key \"shape\""}));
    EXPECT_TRUE(refused(with("{'descr': '<f4', 'shape': (2,)}"), {"found no key \"fortran_order\""}));
    EXPECT_TRUE(refused(with("{'shape': (2,), 'fortran_order': False}"), {"found no key \"descr\""}));
    EXPECT_TRUE(refused(with("{'descr': '<f4', 'descr': '<f4'}"), {"the key \"descr\" twice"}));
    EXPECT_TRUE(refused(with("{'descr': '<f4', 'x': 1}"), {"the key \"x\""}));
    EXPECT_TRUE(refused(with("{'descr' '<f4'}"), {"expected \":\""}));
    EXPECT_TRUE(refused(with("{'descr': '<f4' 'shape': (2,)}"), {"expected \",\""}));
    EXPECT_TRUE(refused(with("{'descr': '<f4"), {"expected descr: a plain dtype"}));
    EXPECT_TRUE(refused(with("{'descr"), {"expected a key in quotes"}));
    EXPECT_TRUE(refused(with("{xdescrx: '<f4', 'fortran_order': False, 'shape': (2,)}"),
                        {"expected a key in quotes"}));
    EXPECT_TRUE(refused(with("{descr: '<f4'}"), {"expected a key"}));
    EXPECT_TRUE(refused(with(dictionary("'<f4'", "False", "(2,)") + "x"), {"nothing after"}));
    EXPECT_TRUE(refused(with(dictionary("'<f4'", "0", "(2,)")), {"fortran_order: True or False"}));
    EXPECT_TRUE(refused(with(dictionary("[('a', '<f4')]", "False", "(2,)")), {"descr: a plain dtype"}));
    EXPECT_TRUE(refused(with(std::string("{\0", 2)), {"expected a key"}));
}

TEST(Npy, refuses_shapes_that_are_no_sizes) {
    const auto with = [](const std::string& shape) {
        return file_of(dictionary("'<f4'", "False", shape), "12345678");
    };
    EXPECT_TRUE(refused(with("(2)"), {"without a comma"}));
    EXPECT_TRUE(refused(with("2"), {"expected \"(\""}));
    EXPECT_TRUE(refused(with("[2]"), {"expected \"(\""}));
    EXPECT_TRUE(refused(with("(-2,)"), {"shape", "whole numbers"}));
    EXPECT_TRUE(refused(with("(2.0,)"), {"shape"}));
    EXPECT_TRUE(refused(with("(1 2)"), {"shape"}));
    EXPECT_TRUE(refused(with("(18446744073709551616,)"), {"shape", "whole numbers"}));
    EXPECT_TRUE(refused(with("(1,1,1,1,1,1,1,1,2)"), {"shape"}));
    EXPECT_TRUE(refused(with("(4294967296, 4294967296, 4)"), {"[4294967296, 4294967296, 4]", "2^64"}));
    EXPECT_TRUE(refused(with("(4611686018427387904,)"), {"2^64"}));
    EXPECT_TRUE(refused(with("(4294967296, 4294967296, 0)"), {"2^64"}));
    EXPECT_TRUE(refused(with("(3,)"), {"found 8 bytes of data, expected 12"})); // cut off
    EXPECT_TRUE(refused(with("(1,)"), {"found 8 bytes of data, expected 4"}));  // trailing
}

TEST(Npy, refuses_dtypes_that_are_no_plain_numbers) {
    for (const char* dtype :
         {"|O", "O", "<f3", "<f16", "=f4", "f4", "<f", "", "|f4", "<U4", "|V8", "<M8", "<b1"})
        EXPECT_TRUE(refused(file_of(dictionary("'" + std::string(dtype) + "'", "False", "(2,)"), "12345678"),
                            {"descr", "\"" + std::string(dtype) + "\""}))
            << dtype;
}

TEST(Npy, damage_is_refused_or_harmless) {
    const std::string good = file_of(dictionary("'<f4'", "False", "(2,)"), "12345678");
    std::mt19937_64 next(1);
    for (int i = 0; i < 5000; ++i) {
        const std::string bytes = damaged(good, next);
        const Outcome outcome = outcome_of([&] { (void)read_npy(bytes, "f.npy"); });
        EXPECT_EQ(outcome.code.value_or(ErrorCode::bad_file_format), ErrorCode::bad_file_format)
            << outcome.line;
    }
}

TEST(Npy, the_malformed_files) {
    const std::filesystem::path folder = bad_files();
    const JsonValue table = parse_json(read_file(folder / "expected.json", 1 << 20), "expected.json");
    int seen = 0;
    for (const JsonValue& row : table.items) {
        const std::string& name = row.find("file")->text;
        if (!name.ends_with(".npy")) continue;
        const std::string bytes = read_file(folder / name, 1 << 20);
        const auto load = [&] { (void)read_npy(bytes, name); };
        if (row.find("expect")->text == "refuse") {
            EXPECT_TRUE(refuses(load, ErrorCode::bad_file_format, {name})) << name;
        } else {
            EXPECT_NO_THROW(load()) << name;
        }
        ++seen;
    }
    EXPECT_GT(seen, 8);
}

} // namespace
