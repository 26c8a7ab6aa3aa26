// KIVI against a cache that is fed one token at a time and keeps its own queues and blocks.
#include "lib/reader/kivi.hpp"

#include "lib/codec/half.hpp"
#include "tests/reader/layers.hpp"
#include "tests/record/refusal.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

/// One KV head's cache as it grows: keys wait for a block of 128, values leave a window of 128.
class GrowingCache {
public:
    explicit GrowingCache(int bits) : bits_(bits) {}

    void append(const Vector& key, const Vector& value) {
        waiting_.push_back(key);
        window_.push_back(value);
        if (window_.size() > 128) {
            Vector oldest = window_.front();
            window_.pop_front();
            for (std::size_t c = 0; c < oldest.size(); c += 32) {
                Vector group(oldest.begin() + static_cast<std::ptrdiff_t>(c),
                             oldest.begin() + static_cast<std::ptrdiff_t>(std::min(c + 32, oldest.size())));
                value_pairs_ += 1;
                code(group);
                std::copy(group.begin(), group.end(), oldest.begin() + static_cast<std::ptrdiff_t>(c));
            }
            values_.push_back(oldest);
        }
    }
    /// What an attention call sees.
    [[nodiscard]] std::vector<Vector> keys() const { return joined(keys_, waiting_); }
    [[nodiscard]] std::vector<Vector> values() const { return joined(values_, window_); }
    /// The bits it holds, counted field by field.
    [[nodiscard]] std::uint64_t bits(std::uint64_t d) const {
        const auto code_bits = static_cast<std::uint64_t>(bits_);
        return code_bits * d * (keys_.size() + values_.size()) + 32 * (key_pairs_ + value_pairs_) +
               16 * d * (waiting_.size() + window_.size());
    }
    /// After the call: a full block becomes codes.
    void end_call() {
        if (waiting_.size() < 128) return;
        for (std::size_t first = 0; first < 128; first += 32)
            for (std::size_t c = 0; c < waiting_.front().size(); ++c) {
                Vector group;
                for (std::size_t i = 0; i < 32; ++i) group.push_back(waiting_[first + i][c]);
                key_pairs_ += 1;
                code(group);
                for (std::size_t i = 0; i < 32; ++i) waiting_[first + i][c] = group[i];
            }
        keys_.insert(keys_.end(), waiting_.begin(), waiting_.end());
        waiting_.clear();
    }

private:
    void code(Vector& group) const {
        const double low = *std::min_element(group.begin(), group.end());
        const double high = *std::max_element(group.begin(), group.end());
        const double most = bits_ == 2 ? 3 : 15;
        const double scale = nearest_half((high - low) / most).value;
        const double offset = nearest_half(low).value;
        for (double& x : group) {
            if (scale == 0) {
                x = offset;
                continue;
            }
            const double at = std::clamp((x - offset) / scale, 0.0, most);
            double n = std::floor(at);
            if (at - n > .5 || (at - n == .5 && std::fmod(n, 2) == 1)) n += 1;
            x = offset + n * scale;
        }
    }
    template <class Queue>
    static std::vector<Vector> joined(std::vector<Vector> coded, const Queue& whole) {
        coded.insert(coded.end(), whole.begin(), whole.end());
        return coded;
    }

    int bits_;
    std::vector<Vector> keys_;
    std::vector<Vector> values_;
    std::vector<Vector> waiting_;
    std::deque<Vector> window_;
    std::uint64_t key_pairs_ = 0;
    std::uint64_t value_pairs_ = 0;
};

Vector as_vector(std::span<const double> x) {
    return {x.begin(), x.end()};
}

/// Keys and values of one head as a capture that Dense answers.
CaptureLayer as_layer(const CaptureLayer& like, const std::vector<Vector>& keys,
                      const std::vector<Vector>& values) {
    CaptureLayer out = like;
    out.shape.tokens = static_cast<int>(keys.size());
    out.k.clear();
    out.v.clear();
    for (const Vector& k : keys) out.k.insert(out.k.end(), k.begin(), k.end());
    for (const Vector& v : values) out.v.insert(out.v.end(), v.begin(), v.end());
    return out;
}

TEST(Kivi, appended_one_by_one_it_is_the_cache_encoded_at_once) {
    for (const int bits : {2, 4})
        for (const int dim : {3, 32, 40}) {
            const CaptureLayer layer = random_layer({1, 2, dim, 300, 4}, static_cast<std::uint64_t>(dim));
            const auto at_once = stored(*kivi_reader(bits), layer);
            GrowingCache growing(bits);
            const Vector queries = layer.queries_at(0);
            for (int t = 1; t <= 300; ++t) {
                growing.append(as_vector(layer.key(0, t - 1)), as_vector(layer.value(0, t - 1)));
                const Answer found = at_once->answer(queries, t);
                const CaptureLayer seen = as_layer(layer, growing.keys(), growing.values());
                ASSERT_EQ(found.outputs, stored(*dense_reader(), seen)->answer(queries, t).outputs) << t;
                ASSERT_EQ(found.bits(), growing.bits(static_cast<std::uint64_t>(dim))) << t;
                ASSERT_EQ(at_once->stored_bits(t), found.bits()) << t;
                growing.end_call();
            }
        }
}

RC_GTEST_PROP(KiviProperty, a_cache_cut_at_any_token_answers_as_the_long_one, (std::uint64_t seed)) {
    const Sizes sizes{2, 4, 1 + static_cast<int>(seed % 40), 1 + static_cast<int>(seed / 40 % 290), 1};
    const CaptureLayer longer = random_layer({2, 4, sizes.dim, 290, 1}, seed);
    CaptureLayer cut = longer;
    cut.shape.tokens = sizes.tokens;
    cut.k.clear();
    cut.v.clear();
    for (int g = 0; g < 2; ++g)
        for (int j = 0; j < sizes.tokens; ++j) {
            const auto k = longer.key(g, j);
            const auto v = longer.value(g, j);
            cut.k.insert(cut.k.end(), k.begin(), k.end());
            cut.v.insert(cut.v.end(), v.begin(), v.end());
        }
    const Vector queries = longer.queries_at(0);
    RC_ASSERT(stored(*kivi_reader(2), longer)->answer(queries, sizes.tokens).outputs ==
              stored(*kivi_reader(2), cut)->answer(queries, sizes.tokens).outputs);
}

/// Pitfall: with groups formed over the tokens of one append, decoding made every key a group of its own, and
/// a "2-bit" key was exact, since the minimum of one number is that number.
TEST(Kivi, two_bit_keys_are_not_exact) {
    // Distinct values at 129 tokens: keys 0..127 are codes. A query of 0 but for one channel orders logits by
    // the decoded key alone; equal decoded keys share their weight, so outputs show at most 4 keys a group.
    CaptureLayer layer = random_layer({1, 1, 1, 129, 1}, 3);
    const Vector query = {1};
    const auto weights_at = [&](int token) { // by values that are 1 at one token: d_h = 1
        CaptureLayer marked = layer;
        std::fill(marked.v.begin(), marked.v.end(), 0.0);
        marked.v[static_cast<std::size_t>(token)] = 1;
        return stored(*kivi_reader(2), marked)->answer(query, 129).outputs[0];
    };
    std::set<double> seen;
    for (int j = 1; j < 32; ++j) seen.insert(weights_at(j)); // token 0's value is coded with the mark exactly
    EXPECT_LE(seen.size(), 4u);
    EXPECT_GE(seen.size(), 2u);
    // The mutant: whole keys give 31 weights.
    std::set<double> whole;
    for (int j = 1; j < 32; ++j) {
        CaptureLayer marked = layer;
        std::fill(marked.v.begin(), marked.v.end(), 0.0);
        marked.v[static_cast<std::size_t>(j)] = 1;
        whole.insert(stored(*dense_reader(), marked)->answer(query, 129).outputs[0]);
    }
    EXPECT_EQ(whole.size(), 31u);
}

TEST(Kivi, up_to_128_tokens_nothing_is_lost_and_then_something_is) {
    const CaptureLayer layer = random_layer({2, 4, 8, 129, 1}, 4);
    const auto cache = stored(*kivi_reader(2), layer);
    const auto dense = stored(*dense_reader(), layer);
    const Vector queries = layer.queries_at(0);
    for (const int t : {1, 32, 127, 128}) {
        EXPECT_EQ(cache->answer(queries, t).outputs, dense->answer(queries, t).outputs) << t;
        EXPECT_EQ(cache->answer(queries, t).bits(), dense->answer(queries, t).bits()) << t;
    }
    EXPECT_NE(cache->answer(queries, 129).outputs, dense->answer(queries, 129).outputs);
    EXPECT_LT(cache->answer(queries, 129).bits(), dense->answer(queries, 129).bits());
}

TEST(Kivi, other_bits_are_refused) {
    for (const int bits : {0, 1, 3, 8})
        EXPECT_TRUE(refuses([&] { (void)kivi_reader(bits); }, ErrorCode::bad_option,
                            {"found " + std::to_string(bits), "2 or 4"}));
}

} // namespace
