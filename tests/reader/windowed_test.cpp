// What holds of KVTC, PALU and AATC alike: whole and coded tokens, causality, appending, threads, hard input.
#include "lib/error.hpp"
#include "lib/reader/aatc.hpp"
#include "lib/reader/kvtc.hpp"
#include "lib/reader/palu.hpp"
#include "lib/reader/token_window.hpp"
#include "tests/reader/models.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <thread>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

std::vector<NamedReader> windowed_readers() {
    std::vector<NamedReader> out;
    out.push_back({"kvtc:2", kvtc_reader(2)});
    out.push_back({"kvtc:1.5", kvtc_reader(Rational(3, 2))});
    out.push_back({"palu:32,3", palu_reader(32, 3)});
    out.push_back({"aatc:2.5", aatc_reader({.bits = Rational(5, 2)})});
    out.push_back({"aatc:3,repaired,groups=2",
                   aatc_reader({.bits = 3, .code = TokenCode::repaired, .head_groups = 2})});
    return out;
}

/// Two KV heads of 16: one head group of 32 channels.
CaptureLayer sample(int tokens, std::uint64_t seed) {
    return random_layer({2, 4, 16, tokens, 4}, seed);
}

/// A call over some tokens is the same whether later ones were already there or not: answers and bits.
RC_GTEST_PROP(Windowed, appending_is_encoding_at_once, (std::uint64_t seed)) {
    const CaptureLayer layer = sample(260, seed);
    const CaptureLayer calibration = sample(60, seed + 1);
    const Vector queries = layer.queries_at(3);
    for (const NamedReader& r : windowed_readers()) {
        const auto all = stored_with_source(*r.reader, layer, calibration);
        const int t = 130 + static_cast<int>(seed % 130);
        const auto grown = stored_with_source(*r.reader, first_tokens(layer, t), calibration);
        const Answer found = all->answer(queries, t);
        const Answer expected = grown->answer(queries, t);
        RC_ASSERT(found.outputs == expected.outputs);
        RC_ASSERT(found.payload_bits == expected.payload_bits);
        RC_ASSERT(found.overhead_bits == expected.overhead_bits);
        RC_ASSERT(all->stored_bits(t) == grown->stored_bits(t));
        RC_ASSERT(all->stored_bits(t) == found.bits()); // a call reads all that is kept
        // the mutant: one token more
        RC_ASSERT(all->answer(queries, t + 1).outputs != expected.outputs);
    }
}

TEST(Windowed, the_first_and_the_latest_tokens_are_whole) {
    const CaptureLayer layer = sample(300, 1);
    const Vector queries = layer.queries_at(0);
    const auto dense = stored(*dense_reader(), layer);
    for (const NamedReader& r : windowed_readers()) {
        const auto cache = stored_with_source(*r.reader, layer, layer);
        for (const int t : {1, 4, 100, 132})
            EXPECT_EQ(cache->answer(queries, t).outputs, dense->answer(queries, t).outputs) << r.name;
        EXPECT_NE(cache->answer(queries, 133).outputs, dense->answer(queries, 133).outputs) << r.name;
        // a key that is whole has its effect through and through, a coded one (nearly) its own
        CaptureLayer changed = layer;
        set_vector(changed.v, layer.shape, 0, 4 + TokenWindow{}.coded(300), Vector(16, 1e6));
        const Vector after = stored_with_source(*r.reader, changed, layer)->answer(queries, 300).outputs;
        const Vector exact = stored(*dense_reader(), changed)->answer(queries, 300).outputs;
        EXPECT_GT(std::fabs(after[0]), std::fabs(exact[0]) / 2) << r.name;
    }
}

TEST(Windowed, answers_are_the_same_from_several_threads_and_every_time) {
    const CaptureLayer layer = sample(260, 2);
    for (const NamedReader& r : windowed_readers()) {
        const auto first = stored_with_source(*r.reader, layer, layer);
        const auto second = stored_with_source(*r.reader, layer, layer);
        std::vector<Answer> one(60);
        std::vector<Answer> other(60);
        std::vector<std::thread> threads;
        for (int n = 0; n < 3; ++n)
            threads.emplace_back([&, n] {
                for (int i = n; i < 60; i += 3)
                    one[static_cast<std::size_t>(i)] = first->answer(layer.queries_at(i % 4), 200 + i);
            });
        for (std::thread& thread : threads) thread.join();
        for (int i = 59; i >= 0; --i)
            other[static_cast<std::size_t>(i)] = second->answer(layer.queries_at(i % 4), 200 + i);
        for (std::size_t i = 0; i < 60; ++i) {
            EXPECT_EQ(one[i].outputs, other[i].outputs) << r.name;
            EXPECT_EQ(one[i].bits(), other[i].bits()) << r.name;
        }
    }
}

/// Pitfall: activations far beyond binary16 must leave finite answers, and be reported where they are coded.
TEST(Windowed, saturating_values_are_reported) {
    const CaptureLayer layer = sample(300, 3);
    for (const NamedReader& r : windowed_readers()) {
        EXPECT_EQ(stored_with_source(*r.reader, layer, layer)->saturated(), 0U) << r.name;
        for (const int token : {10, 290}) { // coded, whole
            CaptureLayer bad = layer;
            set_vector(bad.k, layer.shape, 1, token, Vector(16, -1.25e6));
            set_vector(bad.v, layer.shape, 1, token, Vector(16, -1.25e6));
            const auto cache = stored_with_source(*r.reader, bad, layer);
            EXPECT_EQ(cache->saturated() > 0, token == 10) << r.name << ", token " << token;
            for (const double x : cache->answer(layer.queries_at(0), 300).outputs)
                EXPECT_TRUE(std::isfinite(x)) << r.name;
        }
    }
}

/// Pitfall: what does not vary came back as 0 or NaN.
TEST(Windowed, constant_and_empty_caches) {
    CaptureLayer zero = sample(300, 4);
    std::fill(zero.k.begin(), zero.k.end(), 0.0);
    std::fill(zero.v.begin(), zero.v.end(), 0.0);
    CaptureLayer constant = sample(300, 5);
    std::fill(constant.v.begin(), constant.v.end(), -1.5);
    for (const NamedReader& r : windowed_readers()) {
        EXPECT_EQ(stored_with_source(*r.reader, zero, zero)->answer(zero.queries_at(0), 300).outputs,
                  Vector(64))
            << r.name;
        if (!r.name.starts_with("kvtc")) continue; // latents of a constant vary
        for (const double x :
             stored_with_source(*r.reader, constant, constant)->answer(constant.queries_at(0), 300).outputs)
            EXPECT_NEAR(x, -1.5, 1e-12) << r.name;
    }
}

/// Keys are coded before the rotary encoding: another one must show, in the keys alone.
TEST(Windowed, keys_are_turned_back) {
    const CaptureLayer layer = sample(300, 6);
    for (const NamedReader& r : windowed_readers()) {
        const MemoryCapture right = capture_of(layer);
        const MemoryCapture wrong = capture_of(layer, 100);
        const auto answer = [&](const MemoryCapture& source) {
            r.reader->prepare(source, std::vector<int>{0});
            return r.reader->encode({layer, &layer, 0}, settings_for(16))->answer(layer.queries_at(0), 300);
        };
        EXPECT_NE(answer(right).outputs, answer(wrong).outputs) << r.name;
        // another layer, another shape, another capture than the prepared one
        EXPECT_THROW((void)r.reader->encode({layer, &layer, 1}, settings_for(16)), Error) << r.name;
        const CaptureLayer narrow = random_layer({1, 2, 16, 40, 1}, 7);
        EXPECT_THROW((void)r.reader->encode({narrow, &narrow, 0}, settings_for(16)), Error) << r.name;
        MemoryCapture silent = right;
        silent.encoding.reset();
        EXPECT_THROW((void)answer(silent), Error) << r.name;
    }
}

} // namespace
