// The vectorised passes against definitions, in the form for this processor and in the one for all; selection
// by rank against sorting.
#include "lib/allocate/weight_passes.hpp"

#include "lib/allocate/select_rank.hpp"
#include "tests/allocate/weights.hpp"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

template <class Number>
std::int32_t key_by_definition(Number weight) {
    if (weight == 0) return -1;
    std::uint32_t words[sizeof(Number) / 4];
    std::memcpy(words, &weight, sizeof weight);
    return static_cast<std::int32_t>(
        words[sizeof(Number) / 4 - 1]); // little endian: the last word is the upper
}

template <class Number>
void keys_are_as_defined(std::uint64_t seed) {
    static_assert(std::endian::native == std::endian::little);
    std::mt19937_64 next(seed);
    std::vector<Number> weights = hard_weights<Number>(next() % 70, next);
    if (!weights.empty() && next() % 3 == 0)
        weights[next() % weights.size()] = next() % 2 == 0 ? std::numeric_limits<Number>::quiet_NaN()
                                                           : -std::numeric_limits<Number>::denorm_min();
    std::vector<std::int32_t> expected;
    std::uint32_t largest = 0;
    std::uint32_t positive = 0;
    for (const Number w : weights) {
        expected.push_back(key_by_definition(w));
        if (w != 0) largest = std::max(largest, static_cast<std::uint32_t>(expected.back()));
        positive += w != 0 ? 1 : 0;
    }
    for (const auto form :
         {static_cast<WeightSummary (*)(const Number*, std::size_t, std::int32_t*)>(coarse_keys),
          static_cast<WeightSummary (*)(const Number*, std::size_t, std::int32_t*)>(
              any_processor::coarse_keys)}) {
        std::vector<std::int32_t> keys(weights.size());
        const WeightSummary summary = form(weights.data(), weights.size(), keys.data());
        RC_ASSERT(keys == expected);
        RC_ASSERT(summary.largest == largest);
        RC_ASSERT(summary.positive == positive);
    }
}

RC_GTEST_PROP(WeightPasses, coarse_keys_are_as_defined, (std::uint64_t seed)) {
    keys_are_as_defined<float>(seed);
    keys_are_as_defined<double>(seed);
}

RC_GTEST_PROP(WeightPasses, levels_are_counted_as_defined, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    std::vector<std::int32_t> keys(next() % 100);
    for (std::int32_t& key : keys) key = static_cast<std::int32_t>(next() % 12) - 1;
    KeyCuts lower{};
    KeyCuts upper{};
    for (std::size_t t = 0; t < lower.size(); ++t) {
        lower[t] = static_cast<std::int32_t>(next() % 12);
        upper[t] = next() % 5 == 0 ? std::numeric_limits<std::int32_t>::max()
                                   : lower[t] + static_cast<std::int32_t>(next() % 3);
    }
    for (const auto form : {count_levels, any_processor::count_levels}) {
        std::vector<std::uint8_t> sure(keys.size(), 3);
        std::vector<std::uint8_t> open(keys.size(), 5);
        form(keys.data(), keys.size(), lower, upper, sure.data(), open.data());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto reached =
                std::ranges::count_if(upper, [&](std::int32_t cut) { return keys[i] >= cut; });
            const auto possible =
                std::ranges::count_if(lower, [&](std::int32_t cut) { return keys[i] >= cut; });
            RC_ASSERT(sure[i] == 3 + reached);
            RC_ASSERT(open[i] == 5 + possible - reached);
        }
    }
}

template <class Key>
void selects_as_sorting_does(std::uint64_t seed) {
    std::mt19937_64 next(seed);
    std::vector<Key> keys(1 + next() % 3000);
    const int shift = static_cast<int>(next() % (8 * sizeof(Key)));
    for (Key& key : keys) key = static_cast<Key>(static_cast<Key>(next()) >> shift); // few values or many
    if (next() % 3 == 0) keys[0] = std::numeric_limits<Key>::max();
    if (next() % 3 == 0) std::ranges::fill(std::span(keys).subspan(keys.size() / 2), keys[0]);
    std::vector<Key> sorted = keys;
    std::ranges::sort(sorted, std::greater<>());
    std::vector<Key> spare;
    for (int k = 0; k < 10; ++k) {
        const std::uint64_t rank = 1 + next() % keys.size();
        RC_ASSERT(select_rank(std::span<const Key>(keys), rank, spare) == sorted[rank - 1]);
    }
}

RC_GTEST_PROP(SelectRank, agrees_with_sorting, (std::uint64_t seed)) {
    selects_as_sorting_does<std::uint32_t>(seed);
    selects_as_sorting_does<std::uint64_t>(seed);
}

} // namespace
