// Every file of tests/data/bad by its table: what is to be refused is refused in one line that names the file
// and the place; what is valid is taken, whatever is odd about it.
#include "tests/capture/files.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// Reads everything a file holds: a capture, or the single array of a .npy file.
void read_whole(const std::filesystem::path& path) {
    if (path.extension() == ".npy") {
        const MappedFile file(path);
        (void)float_tensor(read_npy(file.bytes(), path.string()), path.string());
        return;
    }
    const Capture capture(path);
    for (int layer = 0; layer < capture.shape().layers; ++layer) (void)capture.layer(layer);
}

struct Expected {
    ErrorCode code;
    std::vector<std::string> parts; ///< of the line, beside the file's name
};

/// Which error each refused file is, and what its line names: the tensor where the fault lies in one, and
/// what was found.
const std::map<std::string, Expected>& refusals() {
    using enum ErrorCode;
    static const std::map<std::string, Expected> all = {
        {"empty.safetensors", {bad_file_format, {"0 bytes"}}},
        {"header_len_truncated.safetensors", {bad_file_format, {"5 bytes"}}},
        {"header_truncated.safetensors", {bad_file_format, {"864", "192"}}},
        {"header_len_past_end.safetensors", {bad_file_format, {"10000000"}}},
        {"header_len_2pow63.safetensors", {bad_file_format, {"9223372036854775808"}}},
        {"header_len_max.safetensors", {bad_file_format, {"18446744073709551615"}}},
        {"header_len_zero.safetensors", {bad_file_format, {"header"}}},
        {"data_truncated.safetensors", {bad_file_format, {"layers.0.wo", "7580"}}},
        {"trailing_data.safetensors", {bad_file_format, {"7744", "7680"}}},
        {"json_invalid.safetensors", {bad_file_format, {"header", "856"}}},
        {"json_not_object.safetensors", {bad_file_format, {"header"}}},
        {"json_deep.safetensors", {bad_file_format, {"nested"}}},
        {"json_bad_utf8.safetensors", {bad_file_format, {"header", "542"}}},
        {"json_duplicate_key.safetensors", {bad_file_format, {"layers.0.k", "twice"}}},
        {"offsets_overlap.safetensors", {bad_file_format, {"layers.0.v", "512"}}},
        {"offsets_past_end.safetensors", {bad_file_format, {"layers.0.v", "1073744384"}}},
        {"offsets_reversed.safetensors", {bad_file_format, {"layers.0.v", "[2560, 1536]"}}},
        {"offsets_negative.safetensors", {bad_file_format, {"layers.0.v", "-1024"}}},
        {"offsets_size_mismatch.safetensors", {bad_file_format, {"layers.0.k", "896", "[2, 16, 7]"}}},
        {"dtype_unknown.safetensors", {bad_file_format, {"layers.0.k", "F33"}}},
        {"dtype_integer.safetensors", {bad_capture, {"layers.0.k", "I32"}}},
        {"shape_overflow.safetensors", {bad_file_format, {"layers.0.k", "4294967296"}}},
        {"shape_negative.safetensors", {bad_file_format, {"layers.0.k", "-2"}}},
        {"shape_fraction.safetensors", {bad_file_format, {"layers.0.k", "16.5"}}},
        {"shape_rank.safetensors", {bad_capture, {"layers.0.k", "[32, 8]", "three"}}},
        {"value_nan_key.safetensors", {bad_capture, {"layers.0.k", "nan", "[0, 4, 5]"}}},
        {"value_inf_key.safetensors", {bad_capture, {"layers.0.k", "inf", "[0, 4, 5]"}}},
        {"value_nan_value.safetensors", {bad_capture, {"layers.0.v", "nan", "[0, 4, 5]"}}},
        {"heads_not_divisible.safetensors", {bad_capture, {"layers.0.q", "[6, 4, 8]", "multiple of 4"}}},
        {"kv_length_mismatch.safetensors", {bad_capture, {"layers.0.v", "[2, 15, 8]", "[2, 16, 8]"}}},
        {"head_dim_mismatch.safetensors", {bad_capture, {"layers.0.q", "[4, 4, 16]", "d_h = 8"}}},
        {"metadata_mismatch.safetensors", {bad_capture, {"__metadata__", "G = \"4\"", "\"2\""}}},
        {"queries_longer_than_keys.safetensors", {bad_capture, {"layers.0.q", "[4, 20, 8]", "16"}}},
        {"zero_tokens.safetensors", {bad_capture, {"layers.0.k", "[2, 0, 8]"}}},
        {"missing_values.safetensors", {bad_capture, {"layers.0.v", "nothing"}}},
        {"npy_bad_magic.npy", {bad_file_format, {"NUMPX"}}},
        {"npy_version9.npy", {bad_file_format, {"9.0"}}},
        {"npy_header_past_end.npy", {bad_file_format, {"65000"}}},
        {"npy_data_short.npy", {bad_file_format, {"1012", "1024"}}},
        {"npy_object_dtype.npy", {bad_file_format, {"|O"}}},
        {"npy_shape_overflow.npy", {bad_file_format, {"4294967296"}}},
        {"npy_header_garbage.npy", {bad_file_format, {"shape"}}},
    };
    return all;
}

TEST(BadFiles, are_what_the_table_says) {
    const auto table = nlohmann::json::parse(whole_file(bad_files() / "expected.json"));
    std::size_t refused = 0;
    for (const auto& row : table) {
        const std::string name = row["file"];
        const std::filesystem::path path = bad_files() / name;
        ASSERT_TRUE(std::filesystem::exists(path)) << name;
        const auto read = [&path] { read_whole(path); };
        if (row["expect"] != "refuse") {
            EXPECT_FALSE(outcome_of(read).code) << name << ": " << outcome_of(read).line;
            continue;
        }
        ++refused;
        const auto at = refusals().find(name);
        ASSERT_NE(at, refusals().end()) << name;
        std::vector<std::string> parts = at->second.parts;
        parts.push_back(path.string());
        EXPECT_TRUE(refuses(read, at->second.code, parts)) << name;
    }
    EXPECT_EQ(refused, refusals().size());
    EXPECT_GT(table.size(), refused);
}

/// A file in the folder that the table does not know would be tested by nobody.
TEST(BadFiles, are_all_in_the_table) {
    const auto table = nlohmann::json::parse(whole_file(bad_files() / "expected.json"));
    std::vector<std::string> listed;
    for (const auto& row : table) listed.push_back(row["file"]);
    for (const auto& entry : std::filesystem::directory_iterator(bad_files())) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".safetensors" && entry.path().extension() != ".npy") continue;
        EXPECT_NE(std::find(listed.begin(), listed.end(), name), listed.end()) << name;
    }
}

TEST(BadFiles, check_can_fail) {
    const auto good = [] { read_whole(bad_files() / "ok_control.safetensors"); };
    EXPECT_FALSE(refuses(good, ErrorCode::bad_capture, {}));
    const auto bad = [] { read_whole(bad_files() / "shape_rank.safetensors"); };
    EXPECT_FALSE(refuses(bad, ErrorCode::bad_file_format, {}));
    EXPECT_FALSE(refuses(bad, ErrorCode::bad_capture, {"layers.0.v"}));
}

TEST(OddFiles, with_one_huge_key_have_a_note) {
    const std::string path = (bad_files() / "value_huge_key.safetensors").string();
    const Capture capture(path);
    ASSERT_EQ(capture.notes().size(), 1U);
    EXPECT_NE(capture.notes()[0].find(path), std::string::npos);
    EXPECT_NE(capture.notes()[0].find("binary32"), std::string::npos);
    const CaptureLayer layer = capture.layer(0);
    EXPECT_EQ(layer.key(0, 4)[5], static_cast<double>(3e38F));
    // the others have none
    for (const char* name : {"ok_control.safetensors", "head_dim_80.safetensors", "head_dim_1.safetensors",
                             "one_token.safetensors"})
        EXPECT_TRUE(Capture(bad_files() / name).notes().empty()) << name;
}

TEST(OddFiles, have_the_shapes_they_say) {
    const auto shape = [](const char* name) { return Capture(bad_files() / name).shape(); };
    const CaptureShape control = shape("ok_control.safetensors");
    EXPECT_EQ(control.layers, 1);
    EXPECT_EQ(control.query_heads, 4);
    EXPECT_EQ(control.kv_heads, 2);
    EXPECT_EQ(control.dim, 8);
    EXPECT_EQ(control.tokens, 16);
    EXPECT_EQ(control.queries, 4);
    EXPECT_EQ(control.position(0), 12);
    EXPECT_EQ(control.position(3), 15);
    // contiguous groups, not h mod G (Pitfall: by tile instead of by repeat)
    for (int h = 0; h < 4; ++h) EXPECT_EQ(control.kv_head_of(h), h / 2);
    EXPECT_EQ(shape("head_dim_80.safetensors").dim, 80);
    EXPECT_EQ(shape("head_dim_1.safetensors").dim, 1);
    EXPECT_EQ(shape("one_token.safetensors").tokens, 1);
}

/// d_h = 80 is a capture like any other; it is the Hadamard transform that it has none of.
TEST(OddFiles, of_dimension_80_have_no_hadamard_transform) {
    const Capture capture(bad_files() / "head_dim_80.safetensors");
    const auto d = static_cast<std::size_t>(capture.shape().dim);
    EXPECT_TRUE(refuses([d] { (void)Transform::hadamard(d, 0, 0); }, ErrorCode::bad_option,
                        {"80", "power of two", "--transform identity"}));
    EXPECT_EQ(calibrate(capture.layer(0), Transform::identity(d), Transform::identity(d)).keys.mean.size(),
              80U * static_cast<std::size_t>(capture.shape().kv_heads));
}

Tensor array_of(const char* name) {
    const std::filesystem::path path = bad_files() / name;
    const std::string bytes = whole_file(path);
    return float_tensor(read_npy(bytes, path.string()), path.string());
}

TEST(OddFiles, of_npy_hold_the_numbers_of_the_control) {
    const Tensor control = array_of("ok_control.npy");
    ASSERT_EQ(control.shape, (Shape{2, 16, 8}));
    for (const char* name : {"ok_version2.npy", "ok_fortran.npy", "npy_big_endian.npy"}) {
        const Tensor other = array_of(name);
        EXPECT_EQ(other.shape, control.shape) << name;
        EXPECT_EQ(other.values, control.values) << name;
    }
    // the same bytes in another order: what is compared is not the file
    EXPECT_NE(whole_file(bad_files() / "ok_fortran.npy").substr(128),
              whole_file(bad_files() / "ok_control.npy").substr(128));
    EXPECT_NE(whole_file(bad_files() / "npy_big_endian.npy").substr(128),
              whole_file(bad_files() / "ok_control.npy").substr(128));
}

TEST(OddFiles, of_npy_alone_are_no_capture) {
    for (const char* name : {"ok_control.npy", "npy_big_endian.npy"})
        EXPECT_TRUE(refuses([name] { (void)Capture(bad_files() / name); }, ErrorCode::bad_capture,
                            {name, "NAME_q.npy", "NAME_k.npy", "NAME_v.npy"}));
}

} // namespace
