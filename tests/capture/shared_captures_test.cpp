// The captures that this project was checked on, where they are there: the same numbers in other dtypes and
// formats, and the attention outputs that two other programs computed.
#include "lib/reader/exact_attention.hpp"
#include "tests/capture/files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using namespace kvproof;
using namespace kvproof::testing_support;
using Json = nlohmann::json;

namespace {

#define NEEDS_SHARED_CAPTURES()                                                                              \
    if (!std::filesystem::exists(shared_captures())) GTEST_SKIP() << "no shared captures here"

/// The largest difference of two lists over what rounding to this many bits may do to each entry.
double worst_ratio(const std::vector<double>& exact, const std::vector<double>& rounded, double relative,
                   double absolute) {
    EXPECT_EQ(exact.size(), rounded.size());
    double worst = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
        worst = std::max(worst, std::abs(exact[i] - rounded[i]) / (relative * std::abs(exact[i]) + absolute));
    return worst;
}

void expect_rounded(const char* name, double relative, double absolute) {
    const Capture exact(shared_captures() / "stories260K_test.safetensors");
    const Capture other(shared_captures() / name);
    ASSERT_EQ(exact.shape().layers, other.shape().layers);
    for (int index = 0; index < exact.shape().layers; ++index) {
        const CaptureLayer a = exact.layer(index);
        const CaptureLayer b = other.layer(index);
        for (const auto& [x, y] : {std::pair(&a.q, &b.q), std::pair(&a.k, &b.k), std::pair(&a.v, &b.v)}) {
            const double worst = worst_ratio(*x, *y, relative, absolute);
            EXPECT_LE(worst, 1) << name << " layer " << index;
            EXPECT_GE(worst, .9) << name << " layer " << index; // nearest, and no better than the format
        }
    }
}

TEST(SharedCaptures, in_binary16_are_rounded_once) {
    NEEDS_SHARED_CAPTURES();
    expect_rounded("stories260K_test_f16.safetensors", 0x1p-11, 0x1p-25);
}

TEST(SharedCaptures, in_bfloat16_are_rounded_once) {
    NEEDS_SHARED_CAPTURES();
    expect_rounded("stories260K_test_bf16.safetensors", 0x1p-8, 0);
}

TEST(SharedCaptures, as_npy_are_layer_2_of_the_safetensors) {
    NEEDS_SHARED_CAPTURES();
    const Capture arrays(shared_captures() / "npy/stories260K_test_layer2_k.npy");
    const Capture file(shared_captures() / "stories260K_test.safetensors");
    const CaptureLayer a = arrays.layer(0);
    const CaptureLayer b = file.layer(2);
    EXPECT_EQ(arrays.shape().queries, file.shape().queries);
    EXPECT_EQ(a.q, b.q);
    EXPECT_EQ(a.k, b.k);
    EXPECT_EQ(a.v, b.v);
    EXPECT_NE(a.k, file.layer(1).k);
}

TEST(SharedCaptures, without_queries_say_so) {
    NEEDS_SHARED_CAPTURES();
    const Capture capture(shared_captures() / "qwen2.5-14b_layer0_kv.safetensors");
    EXPECT_EQ(capture.shape().kv_heads, 8);
    EXPECT_EQ(capture.shape().dim, 128);
    EXPECT_TRUE(refuses([&] { capture.require_queries(); }, ErrorCode::bad_capture, {"layers.0.q"}));
}

std::vector<double> attention_of(const CaptureLayer& layer, int head, int row) {
    std::vector<double> out(static_cast<std::size_t>(layer.shape.dim));
    const int g = layer.shape.kv_head_of(head);
    attend(
        layer.query(head, row), layer.shape.position(row) + 1, [&](int j) { return layer.key(g, j); },
        [&](int j) { return layer.value(g, j); }, std::span(out));
    return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}

TEST(SharedCaptures, give_the_expected_attention) {
    NEEDS_SHARED_CAPTURES();
    const Json all = Json::parse(whole_file(shared_captures() / "expected_attention.json"));
    int outputs = 0;
    double worst = 0;
    for (const auto& [name, expected] : all["files"].items()) {
        if (!std::filesystem::exists(shared_captures() / name)) continue;
        const Capture capture(shared_captures() / name);
        const CaptureShape& shape = capture.shape();
        for (const Json& at : expected["attention"]) {
            const CaptureLayer layer = capture.layer(at["layer"]);
            const int head = at["head"];
            const int row = at["q_index"];
            EXPECT_EQ(shape.kv_head_of(head), at["kv_head"]) << name;
            EXPECT_EQ(shape.position(row), at["position"]) << name;
            EXPECT_EQ(shape.position(row) + 1, at["n_keys"]) << name;
            const double off = largest_difference(attention_of(layer, head, row), at["out"]);
            EXPECT_LE(off, 1e-12) << name << " " << at["layer"] << " " << head << " " << row;
            worst = std::max(worst, off);
            // another head's output is another one, so the check can fail; at one key siblings agree
            const double other =
                largest_difference(attention_of(layer, (head + 1) % shape.query_heads, row), at["out"]);
            EXPECT_TRUE(at["n_keys"] == 1 || other > 1e-6) << name;
            ++outputs;
        }
        for (const Json& block : expected["block"]) {
            const CaptureLayer layer = capture.layer(block["layer"]);
            const auto wo = capture.matrix(block["layer"], "wo");
            ASSERT_TRUE(wo.has_value()) << name;
            std::vector<double> sum(wo->shape[1]);
            const int row = block.value("q_index", shape.queries - 1);
            for (int h = 0; h < shape.query_heads; ++h) {
                const std::vector<double> out = attention_of(layer, h, row);
                for (std::size_t c = 0; c < out.size(); ++c)
                    for (std::size_t e = 0; e < sum.size(); ++e)
                        sum[e] += out[c] *
                                  wo->values[(static_cast<std::size_t>(h) * out.size() + c) * sum.size() + e];
            }
            EXPECT_LE(largest_difference(sum, block["out_times_wo"]), 1e-12) << name;
        }
    }
    EXPECT_GE(outputs, 6);
    RecordProperty("largest_difference", std::to_string(worst));
}

} // namespace
