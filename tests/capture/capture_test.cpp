// Captures written by hand: what is read, layer by layer and as three .npy files, and each way of being no
// capture.
#include "tests/capture/files.hpp"

#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// Queries [H, Tq, d], keys and values [G, T, d] of one layer.
std::vector<OwnedTensor> layer_tensors(int layer, const Shape& q, const Shape& k, const Shape& v) {
    const std::string before = "layers." + std::to_string(layer) + ".";
    const auto at = static_cast<float>(layer + 1);
    return {single(before + "q", q, at), single(before + "k", k, 100 * at), single(before + "v", v, -at)};
}

std::vector<OwnedTensor> both(std::vector<OwnedTensor> a, const std::vector<OwnedTensor>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

const Shape q423 = {4, 2, 3};
const Shape k253 = {2, 5, 3};

TEST(Capture, holds_each_vector_where_it_belongs) {
    const Folder folder;
    const auto path = folder.write(
        "two.safetensors",
        safetensors_of(both(layer_tensors(0, q423, k253, k253), layer_tensors(1, q423, k253, k253))));
    const Capture capture(path);
    EXPECT_EQ(capture.shape().layers, 2);
    EXPECT_EQ(capture.source(), path.string());
    EXPECT_TRUE(capture.notes().empty());
    const CaptureLayer layer = capture.layer(1);
    for (int h = 0; h < 4; ++h)
        for (int i = 0; i < 2; ++i)
            for (int c = 0; c < 3; ++c)
                EXPECT_EQ(layer.query(h, i)[c], 2.0 * ((h * 2 + i) * 3 + c + 1)) << h << i << c;
    for (int g = 0; g < 2; ++g)
        for (int j = 0; j < 5; ++j)
            for (int c = 0; c < 3; ++c) {
                EXPECT_EQ(layer.key(g, j)[c], 200.0 * ((g * 5 + j) * 3 + c + 1)) << g << j << c;
                EXPECT_EQ(layer.value(g, j)[c], -2.0 * ((g * 5 + j) * 3 + c + 1)) << g << j << c;
            }
    // the query rows are the last ones
    EXPECT_EQ(layer.shape.position(0), 3);
    EXPECT_EQ(layer.shape.position(1), 4);
}

TEST(Capture, outlives_a_move) {
    const Folder folder;
    Capture first(folder.write("one.safetensors", safetensors_of(layer_tensors(0, q423, k253, k253))));
    const std::vector<double> before = first.layer(0).k;
    const Capture second = std::move(first);
    EXPECT_EQ(second.layer(0).k, before); // the mapping moved along
}

TEST(Capture, reads_matrices_where_there_are_some) {
    const Folder folder;
    const auto path =
        folder.write("wo.safetensors",
                     safetensors_of(both(layer_tensors(0, q423, k253, k253),
                                         {single("layers.0.wo", {12, 6}), single("layers.0.x", {5, 6, 1})})));
    const Capture capture(path);
    const auto wo = capture.matrix(0, "wo");
    ASSERT_TRUE(wo.has_value());
    EXPECT_EQ(wo->shape, (Shape{12, 6}));
    EXPECT_EQ(wo->values[7], 8);
    EXPECT_FALSE(capture.matrix(0, "wk").has_value());
    EXPECT_TRUE(refuses([&] { (void)capture.matrix(0, "x"); }, ErrorCode::bad_capture,
                        {path.string(), "layers.0.x", "[5, 6, 1]", "two dimensions"}));
}

TEST(Capture, without_queries_is_refused_only_where_attention_is_measured) {
    const Folder folder;
    auto tensors = layer_tensors(0, q423, k253, k253);
    tensors.erase(tensors.begin());
    const auto path = folder.write("kv.safetensors", safetensors_of(tensors));
    const Capture capture(path);
    EXPECT_EQ(capture.shape().queries, 0);
    EXPECT_EQ(capture.shape().query_heads, 0);
    EXPECT_TRUE(capture.layer(0).q.empty());
    EXPECT_TRUE(refuses([&] { capture.require_queries(); }, ErrorCode::bad_capture,
                        {path.string(), "layers.0.q", "without queries"}));
    const Capture whole(folder.write("all.safetensors", safetensors_of(layer_tensors(0, q423, k253, k253))));
    EXPECT_NO_THROW(whole.require_queries());
}

struct Wrong {
    std::vector<OwnedTensor> tensors;
    std::vector<std::string> parts;
};

TEST(Capture, that_is_no_attention_is_refused) {
    const auto good = layer_tensors(0, q423, k253, k253);
    auto no_query_in_1 = both(good, layer_tensors(1, q423, k253, k253));
    no_query_in_1.erase(no_query_in_1.begin() + 3);
    const std::vector<Wrong> all = {
        {{single("weights", {2, 2})}, {"1 tensors", "layers.0.k"}},
        {layer_tensors(1, q423, k253, k253), {"layers.0.q", "nothing of this name"}},
        {{single("layers.7.k", k253)}, {"layer 7", "without gap"}},
        {{single("layers.00.k", k253), single("layers.-1.k", k253)}, {"layers.0.k"}},
        {no_query_in_1, {"layers.1.q", "nothing of this name"}},
        {layer_tensors(0, {4, 2}, k253, k253), {"layers.0.q", "[4, 2]", "three dimensions"}},
        {layer_tensors(0, {4, 2, 3}, k253, {2, 5, 3, 1}), {"layers.0.v", "three dimensions"}},
        {layer_tensors(0, {3, 2, 3}, k253, k253), {"layers.0.q", "[3, 2, 3]", "multiple of 2"}},
        {layer_tensors(0, {4, 6, 3}, k253, k253), {"layers.0.q", "[4, 6, 3]", "at most 5"}},
        {layer_tensors(0, {4, 2, 4}, k253, k253), {"layers.0.q", "d_h = 3"}},
        {layer_tensors(0, q423, k253, {2, 4, 3}), {"layers.0.v", "[2, 4, 3]", "[2, 5, 3]"}},
        {layer_tensors(0, {4, 0, 3}, k253, k253), {"layers.0.q", "[4, 0, 3]"}},
        {layer_tensors(0, {0, 2, 3}, k253, k253), {"layers.0.q", "[0, 2, 3]"}},
        {layer_tensors(0, q423, {0, 5, 3}, {0, 5, 3}), {"layers.0.k", "[0, 5, 3]"}},
        {layer_tensors(0, {4, 2, 0}, {2, 5, 0}, {2, 5, 0}), {"[4, 2, 0]"}},
        {both(good, layer_tensors(1, {4, 1, 3}, k253, k253)), {"layers.1.k", "layer 0"}},
        {both(good, layer_tensors(1, {4, 2, 2}, {2, 5, 2}, {2, 5, 2})), {"layers.1.k", "layer 0"}},
    };
    const Folder folder;
    for (const Wrong& wrong : all) {
        const auto path = folder.write("wrong.safetensors", safetensors_of(wrong.tensors));
        std::vector<std::string> parts = wrong.parts;
        parts.push_back(path.string());
        EXPECT_TRUE(refuses([&] { (void)Capture(path); }, ErrorCode::bad_capture, parts))
            << testing::PrintToString(wrong.parts);
    }
    const auto path = folder.write("good.safetensors", safetensors_of(good));
    EXPECT_FALSE(refuses([&] { (void)Capture(path); }, ErrorCode::bad_capture, {})); // the check can fail
}

TEST(Capture, is_named_by_any_of_its_three_npy_files) {
    const Folder folder;
    const auto write = [&](const std::string& name, const Shape& shape, const char* dtype, bool fortran) {
        const std::string bytes = bytes_of(counted(shape));
        return folder.write(name, write_npy({dtype, fortran, shape, bytes}));
    };
    std::vector<std::filesystem::path> names;
    names.push_back(write("a_q.npy", q423, "<f4", false));
    names.push_back(write("a_k.npy", k253, "<f4", true));
    names.push_back(write("a_v.npy", k253, "<f4", false));
    for (const auto& name : names) {
        const Capture capture(name);
        EXPECT_EQ(capture.shape().layers, 1);
        EXPECT_EQ(capture.shape().query_heads, 4);
        EXPECT_EQ(capture.layer(0).value(1, 2)[0], (5 + 2) * 3 + 1);
        EXPECT_EQ(capture.layer(0).key(1, 2)[2], 1 + 1 + 2 * 2 + 2 * 5 * 2); // first index fastest
        EXPECT_FALSE(capture.matrix(0, "wo").has_value());
        EXPECT_TRUE(capture.notes().empty());
    }
    // big-endian numbers are swapped, and that is said
    std::string swapped;
    for (const float x : counted(k253)) {
        const std::string bytes = bytes_of(std::vector<float>{x});
        swapped.append(bytes.rbegin(), bytes.rend());
    }
    folder.write("a_v.npy", write_npy({">f4", false, k253, swapped}));
    const Capture capture(names[0]);
    EXPECT_EQ(capture.layer(0).value(1, 2)[0], (5 + 2) * 3 + 1);
    ASSERT_EQ(capture.notes().size(), 1U);
    EXPECT_NE(capture.notes()[0].find("a_v.npy"), std::string::npos);
    EXPECT_NE(capture.notes()[0].find("big-endian"), std::string::npos);
}

TEST(Capture, of_npy_names_the_file_at_fault) {
    const Folder folder;
    const auto write = [&](const std::string& name, const Shape& shape) {
        const std::string bytes = bytes_of(counted(shape));
        return folder.write(name, write_npy({"<f4", false, shape, bytes}));
    };
    const auto q = write("b_q.npy", q423);
    write("b_k.npy", k253);
    EXPECT_TRUE(refuses([&] { (void)Capture(q); }, ErrorCode::file_not_readable, {"b_v.npy"}));
    write("b_v.npy", {2, 4, 3});
    EXPECT_TRUE(refuses([&] { (void)Capture(q); }, ErrorCode::bad_capture, {q.string(), "[2, 4, 3]"}));
    folder.write("b_v.npy", "no array");
    EXPECT_TRUE(refuses([&] { (void)Capture(q); }, ErrorCode::bad_file_format, {"b_v.npy"}));
    const std::vector<std::int32_t> integers(30, 1);
    const std::string bytes = bytes_of(integers);
    folder.write("b_v.npy", write_npy({"<i4", false, k253, bytes}));
    EXPECT_TRUE(
        refuses([&] { (void)Capture(q); }, ErrorCode::bad_capture, {"b_v.npy", "<i4", "f2, f4 or f8"}));
}

TEST(Capture, that_is_missing_or_no_file_is_refused) {
    const Folder folder;
    for (const std::string& name : {std::string("none.safetensors"), std::string("none_q.npy")})
        EXPECT_TRUE(
            refuses([&] { (void)Capture(folder.path() / name); }, ErrorCode::file_not_readable, {name}));
    EXPECT_TRUE(refuses([&] { (void)Capture(folder.path()); }, ErrorCode::file_not_readable,
                        {folder.path().string()}));
}

/// Damage anywhere in the file: accepted or refused in one line that names the file, and nothing else.
RC_GTEST_PROP(Capture, damaged_is_read_or_refused, ()) {
    static const std::string good = safetensors_of(layer_tensors(0, q423, k253, k253));
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    std::uint64_t state = seed;
    const auto next = [&state] {
        return state = state * 6364136223846793005U + 1442695040888963407U, state >> 33U;
    };
    std::string bytes = good;
    for (std::uint64_t i = 0; i <= seed % 3; ++i)
        if (!bytes.empty()) bytes = damaged(bytes, next);
    const Folder folder;
    const auto path = folder.write("damaged.safetensors", bytes);
    const Outcome outcome = outcome_of([&] {
        const Capture capture(path);
        for (int layer = 0; layer < capture.shape().layers; ++layer)
            for (const double x : capture.layer(layer).k) RC_ASSERT(std::abs(x) <= largest_value);
    });
    if (outcome.code) {
        RC_ASSERT((*outcome.code == ErrorCode::bad_file_format || *outcome.code == ErrorCode::bad_capture));
        RC_ASSERT(outcome.line.find(path.string()) != std::string::npos);
        RC_ASSERT(outcome.line.find('\n') == std::string::npos);
    }
}

} // namespace
