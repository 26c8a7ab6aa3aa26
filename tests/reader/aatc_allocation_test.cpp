// AATC's bits: against a dynamic program, the fixed layers, normalisation, and the window.
#include "lib/reader/aatc_allocation.hpp"

#include "lib/account/growth.hpp"
#include "lib/reader/aatc_latents.hpp"
#include "lib/reader/token_window.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>

using namespace kvproof;

namespace {

using Bits = std::vector<std::vector<std::uint8_t>>;

Rational objective(const std::vector<AatcLayerChannels>& layers, const Bits& bits) {
    Rational sum = 0;
    for (std::size_t l = 0; l < layers.size(); ++l)
        for (std::size_t c = 0; c < bits[l].size(); ++c)
            if (layers[l].live[c])
                sum += Rational(layers[l].weight[c]) * Rational(layers[l].variance[c]) /
                       power(Rational(4), bits[l][c]);
    return sum;
}

/// min sum a_i 4^-b_i, sum b_i <= budget, 0 <= b_i <= 16, item by item.
Rational dynamic_program(const std::vector<Rational>& items, std::size_t budget) {
    std::vector<Rational> best(budget + 1, 0);
    for (const Rational& a : items) {
        std::vector<Rational> next(budget + 1);
        for (std::size_t spent = 0; spent <= budget; ++spent)
            for (std::size_t b = 0; b <= std::min<std::size_t>(spent, 16); ++b) {
                const Rational cost = best[spent - b] + a / power(Rational(4), static_cast<long>(b));
                if (b == 0 || cost < next[spent]) next[spent] = cost;
            }
        best = std::move(next);
    }
    return best[budget];
}

std::vector<AatcLayerChannels> any_layers() {
    std::vector<AatcLayerChannels> out(static_cast<std::size_t>(*rc::gen::inRange(1, 4)));
    const auto channels = static_cast<std::size_t>(*rc::gen::inRange(1, 5));
    for (AatcLayerChannels& layer : out)
        for (std::size_t c = 0; c < channels; ++c) {
            // products of small integers are exact, and ties are frequent
            layer.weight.push_back(*rc::gen::inRange(0, 40));
            layer.variance.push_back(*rc::gen::inRange(0, 40));
            layer.live.push_back(*rc::gen::inRange(0, 6) > 0);
        }
    return out;
}

std::vector<Rational> items_of(const AatcLayerChannels& layer) {
    std::vector<Rational> out;
    for (std::size_t c = 0; c < layer.weight.size(); ++c)
        if (layer.live[c]) out.push_back(Rational(layer.weight[c]) * Rational(layer.variance[c]));
    return out;
}

/// Claim aatc.eq8.integer: greedy increments reach the optimum over integers, over all layers at once; a
/// fixed layer has its own optimum.
RC_GTEST_PROP(AatcBits, are_optimal, ()) {
    const std::vector<AatcLayerChannels> layers = any_layers();
    const std::size_t channels = layers[0].weight.size();
    const Rational average(*rc::gen::inRange(0, 33), 4);
    const auto fixed = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(layers.size())));
    const Rational raised =
        fixed == 0 ? average : Rational(std::min<Rational>(average + 1, average * layers.size() / fixed));
    const Bits bits = aatc_bits(layers, {.average = average, .fixed_layers = fixed, .fixed = raised});
    RC_ASSERT(bits.size() == layers.size());
    const auto whole = [&](const Rational& rate) {
        return floor(Rational(rate * channels)).convert_to<std::size_t>();
    };
    std::size_t left = whole(average * layers.size());
    std::size_t spent = 0;
    std::vector<Rational> rest;
    Rational optimum = 0;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::vector<Rational> items = items_of(layers[l]);
        spent += std::accumulate(bits[l].begin(), bits[l].end(), std::size_t{0});
        for (std::size_t c = 0; c < channels; ++c) RC_ASSERT((layers[l].live[c] || bits[l][c] == 0));
        if (l < fixed) {
            const std::size_t own = whole(raised * (l + 1)) - whole(raised * l);
            optimum += dynamic_program(items, own);
            left -= own;
        } else {
            rest.insert(rest.end(), items.begin(), items.end());
        }
    }
    optimum += dynamic_program(rest, left);
    RC_ASSERT(objective(layers, bits) == optimum);
    RC_ASSERT(spent <= whole(average * layers.size()));
    // the mutant: a bit moved from the first item that has one to the last that has none
    Bits moved = bits;
    for (auto& layer : moved)
        for (auto& b : layer)
            if (b > 0) {
                --b;
                RC_ASSERT(objective(layers, moved) > optimum);
                return;
            }
}

TEST(AatcBits, golden) {
    // gains 3/4 of 64, 16, 4, 1 | 16, 4, 1 | 4, 1: where 4 is next three items tie, the lower ones first
    const AatcLayerChannels first{{64, 16, 0}, {1, 1, 1}, {1, 1, 1}};
    const AatcLayerChannels second{{1, 4, 9}, {4, 0, 1}, {1, 1, 0}};
    EXPECT_EQ(aatc_bits({first, second}, {.average = 1}), (Bits{{3, 2, 0}, {1, 0, 0}}));
    EXPECT_EQ(aatc_bits({first, second}, {.average = Rational(5, 6)}), (Bits{{3, 2, 0}, {0, 0, 0}}));
    // the first layer by itself, with two bits a channel of the 14 that there are: two are without gain
    EXPECT_EQ(aatc_bits({first, second}, {.average = Rational(14, 6), .fixed_layers = 1, .fixed = 2}),
              (Bits{{4, 2, 0}, {8, 0, 0}}));
    EXPECT_EQ(aatc_bits({first}, {.average = 16}), (Bits{{16, 16, 0}}));
    EXPECT_EQ(aatc_bits({}, {.average = 2}), Bits{});
}

/// Layers whose numbers differ by a factor get the same bits once each is divided by its own percentile.
TEST(AatcBits, normalisation_takes_the_scale_of_a_layer_out) {
    AatcLayerChannels one{{5, 3, 2, 1}, {4, 2, 1, 7}, {1, 1, 1, 0}};
    AatcLayerChannels other = one;
    for (double& s : other.variance) s *= 1024;
    for (double& w : other.weight) w *= 256;
    const AatcRule rule{.average = 2, .normalise = true, .normalise_weights = true};
    const Bits bits = aatc_bits({one, other}, rule);
    EXPECT_EQ(bits[0], bits[1]);
    const Bits plain = aatc_bits({one, other}, {.average = 2});
    EXPECT_NE(plain[0], plain[1]);
    const Bits weights_stay = aatc_bits({one, other}, {.average = 2, .normalise = true});
    EXPECT_NE(weights_stay[0], weights_stay[1]);
    // a layer without spread is divided by nothing
    const AatcLayerChannels flat{{1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}};
    EXPECT_EQ(aatc_bits({flat}, rule), (Bits{{0, 0, 0, 0}}));
}

TEST(AatcBits, percentiles_are_linear_between_ranks) {
    EXPECT_NEAR(percentile({4, 0, 3, 1, 2}, 95), 3.8, 1e-15);
    EXPECT_EQ(percentile({7}, 99), 7);
    std::vector<double> hundred(101);
    std::iota(hundred.begin(), hundred.end(), 0);
    EXPECT_EQ(percentile(hundred, 99), 99);
    EXPECT_EQ(percentile({0, 200}, 99), 198);
}

TEST(AatcBits, fixed_layers_are_the_first_three_where_they_can_be_paid) {
    const auto fixed = [](int layers, const Rational& average) {
        std::vector<int> indices(static_cast<std::size_t>(layers));
        std::iota(indices.begin(), indices.end(), 0);
        return aatc_fixed_layers(indices, average, average + 1);
    };
    EXPECT_EQ(fixed(32, Rational(5, 2)), 3u);
    EXPECT_EQ(fixed(28, 1), 3u);
    EXPECT_EQ(fixed(6, 1), 3u);
    EXPECT_EQ(fixed(5, 2), 2u);
    EXPECT_EQ(fixed(4, 1), 2u);
    EXPECT_EQ(fixed(1, 2), 0u);
    EXPECT_EQ(fixed(32, Rational(1, 10)), 2u);
    EXPECT_EQ(fixed(32, 0), 0u);
    // protected layers 0 and 1 are another's; index 2 is still one of the model's first three
    EXPECT_EQ(aatc_fixed_layers(std::vector<int>{2, 3, 4, 5}, 2, 3), 1u);
}

/// One token joins, the call is made, and then sixteen leave a full window.
TEST(TokenWindow, is_a_queue) {
    const TokenWindow window;
    int coded = 0;
    for (int tokens = 1; tokens <= 1000; ++tokens) {
        ASSERT_EQ(window.coded(tokens), coded) << tokens;
        ASSERT_EQ(value_at(Growth::window(132, 16), tokens), tokens - coded);
        if (tokens - coded == 4 + 128) coded += 16;
    }
    EXPECT_EQ(window.coded(132), 0);
    EXPECT_EQ(window.coded(133), 16);
    EXPECT_EQ(window.coded(148), 16);
    EXPECT_EQ(window.coded(149), 32);
    EXPECT_TRUE(window.holds(3, 133));
    EXPECT_FALSE(window.holds(4, 133));
    EXPECT_FALSE(window.holds(19, 133));
    EXPECT_TRUE(window.holds(20, 133));
    EXPECT_TRUE(window.holds(4, 132));
}

} // namespace
