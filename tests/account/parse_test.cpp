// Names of systems, models and runs: what is accepted, and that every refusal names what was found.
#include "lib/account/percent.hpp"
#include "lib/error.hpp"
#include "lib/record/file.hpp"
#include "lib/record/json_value.hpp"
#include "tests/account/generators.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// The error line of a refusal, empty where the text was accepted.
template <typename Parse>
std::string refusal(const Parse& parse, const std::string& text) {
    try {
        (void)parse(text);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_option);
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        return error.what();
    }
}

TEST(ParseSystem, refuses_what_is_none) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "one of dense"},
        {"palu:64,4", "depend on the data"},
        {"kvtc:2", "depend on the data"},
        {"aatc", "0 parameters"},
        {"aatc:", "\"\""},
        {"aatc:16.5", "\"16.5\""},
        {"aatc:2,plain,plain", "\"plain\" twice"},
        {"aatc:2,groups=0", "\"0\""},
        {"aatc:2,groups=1,groups=2", "twice"},
        {"aatc:2,fast", "\"fast\", expected plain"},
        {"aatc-var:2,plain,repaired,groups=2,x", "5 parameters"},
        {"Dense", "one of dense"},
        {"dense:1", "1 parameters"},
        {"readkv", "0 parameters"},
        {"readkv:8", "1 parameters"},
        {"readkv:8,4,4,4", "4 parameters"},
        {"readkv:8,", "\"\""},
        {"readkv:9,4", "\"9\""},
        {"readkv:0,0", "\"0\""},
        {"readkv:4,5", "\"5\""},
        {"readkv:8,-1", "\"-1\""},
        {"readkv:8,1e0", "\"1e0\""},
        {"readkv:8,1/2", "\"1/2\""},
        {"readkv:8,.5", "\".5\""},
        {"readkv:8,0x1", "\"0x1\""},
        {"readkv:8, 4", "\" 4\""},
        {"readkv:8,4.00000000000000000001", "decimal"},
        {"readkv:8,8.01", "\"8.01\""},
        {"full:4.5", "\"4.5\""},
        {"uniform:0", "\"0\""},
        {"two-level:3,3,3,3", "\"3\""},
        {"two-level:2,8,1,3", "\"1\""},
        {"two-level:2,8,3,1,keys,values", "6 parameters"},
        {"two-level:2,8,3,3,none", "\"none\""},
        {"readkv-gpu:8,0.9", "\"0.9\""},
        {"kivi:3", "2 or 4"},
        {"kivi:8", "\"8\""},
        {"sparq:0,4", "\"0\""},
        {"sparq:32", "1 parameters"},
        {"turboquant+protected", "one of dense"},
        {"dense+protect+protect", "one of dense"},
        {"kivi:99999999999999999999", "99999"},
    };
    for (const auto& [text, part] : cases)
        EXPECT_NE(refusal(parse_system, text).find(part), std::string::npos)
            << text << ": " << refusal(parse_system, text);
}

TEST(ParseSystem, takes_rates_exactly) {
    EXPECT_EQ(parse_system("readkv:8,0.1").key_rate, Rational(1, 10));
    EXPECT_EQ(parse_system("readkv:8,3,1").value_rate, 1);
    EXPECT_EQ(parse_system("readkv:8,3.5").value_rate, Rational(7, 2));
    const System system =
        parse_system("two-level:1,8,3,0,keys+protect"); // values are not restricted: below LOW
    EXPECT_TRUE(system.protect && system.two_level_keys && !system.two_level_values);
}

TEST(ParseSystem, aatc_has_options_in_any_order) {
    const System plain = parse_system("aatc:2.5");
    EXPECT_EQ(plain.kind, System::Kind::aatc);
    EXPECT_EQ(plain.key_rate, Rational(5, 2));
    EXPECT_EQ(plain.value_rate, Rational(5, 2));
    EXPECT_TRUE(!plain.plain && !plain.repaired && plain.groups == 1);
    const System all = parse_system("aatc-var:3,groups=4,repaired,plain+protect");
    EXPECT_EQ(all.kind, System::Kind::aatc_var);
    EXPECT_TRUE(all.plain && all.repaired && all.groups == 4 && all.protect);
}

RC_GTEST_PROP(ParseSystem, keeps_the_name_and_protection_changes_nothing_else, ()) {
    const std::string name = any_system(any_layer());
    const System plain = parse_system(name);
    const System kept = parse_system(name + "+protect");
    RC_ASSERT(plain.name == name);
    RC_ASSERT(!plain.protect);
    RC_ASSERT(kept.protect);
    RC_ASSERT(kept.kind == plain.kind);
    RC_ASSERT(kept.key_rate == plain.key_rate);
}

TEST(ParseModel, refuses_what_is_none) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "qwen2.5-7b"},           {"gpt", "\"gpt\""},       {"1,2,3", "layers,KV heads"},
        {"1,2,3,4", "3 query heads"}, {"0,1,1,1", "\"0\""},     {"1,0,1,1", "\"0\""},
        {"1,1,1,4097", "\"4097\""},   {"1,1,1,-8", "\"-8\""},   {"1,1,1,8,", "\"1,1,1,8,\""},
        {"1001,1,1,8", "1001"},       {"1,1,1,0x8", "\"0x8\""}, {"1,1,1,", "\"\""},
    };
    for (const auto& [text, part] : cases) {
        const std::string line = refusal(parse_model, text);
        EXPECT_NE(line, "") << text;
        EXPECT_NE(line.find(part), std::string::npos) << text << ": " << line;
    }
    EXPECT_EQ(parse_model("28,4,28,128").layer, parse_model("qwen2.5-7b").layer);
}

TEST(ParseModel, knows_the_models_of_the_papers_as_published) {
    const std::string path = KVPROOF_SOURCE_DIR "/tests/data/papers/models.json";
    const JsonValue json = parse_json(read_file(path, 1 << 20), path);
    const JsonValue& models = *json.find("models");
    ASSERT_EQ(models.items.size(), named_models().size());
    for (std::size_t i = 0; i < models.items.size(); ++i) {
        const ModelGeometry& model = named_models()[i];
        const auto number = [&](const char* key) { return std::stol(models.items[i].find(key)->text); };
        EXPECT_EQ(model.name, models.items[i].find("key")->text);
        EXPECT_EQ(model.layers, number("layers"));
        EXPECT_EQ(model.layer.query_heads, number("query_heads"));
        EXPECT_EQ(model.layer.kv_heads, number("kv_heads"));
        EXPECT_EQ(model.layer.head_dim, number("head_dim"));
        // The bytes of a token are those of a dense cache.
        EXPECT_EQ(model_capacity_bits(System{}, model, 1).total(), 8 * number("kv_bytes_per_token_16bit"));
    }
}

TEST(ParseRun, names_the_calls) {
    const AttentionRun causal = parse_run("causal:2048");
    EXPECT_EQ(std::vector({causal.first, causal.last, causal.reference}), std::vector({1L, 2048L, 2048L}));
    const AttentionRun answer = parse_run("answer:7500,24"); // 23 calls: the last token is not forwarded
    EXPECT_EQ(std::vector({answer.first, answer.last, answer.reference}), std::vector({7501L, 7523L, 7500L}));
    for (const char* text : {"", "causal", "causal:", "causal:0", "causal:1,2", "answer:5", "answer:5,1",
                             "answer:0,5", "Causal:5", "causal:1000000001", "causal:-3", "causal:2e3"})
        EXPECT_NE(refusal(parse_run, text), "") << text;
}

} // namespace
