// The device's reader: each stage against 400 bits of its formula, within the bound that the body states; all
// of it against the reader on the processor.
#include "tests/gpu/reader_run.hpp"

#include "lib/allocate/choose_depths.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

using namespace kvproof;
using namespace kvproof::test;

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<120>>;

int pick(int least, int most) {
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
}

CaseSizes any_sizes() {
    constexpr int dims[] = {1, 2, 5, 8, 16, 33, 64};
    CaseSizes out;
    out.kv_heads = pick(1, 3);
    out.query_heads = out.kv_heads * (pick(0, 5) == 0 ? pick(8, 10) : pick(1, 3));
    out.dim = dims[pick(0, 6)];
    out.tokens = pick(0, 3) == 0 ? pick(250, 300) : pick(1, 40);
    out.depth = pick(1, 8);
    out.query_scale = std::ldexp(1.0, pick(-3, 4));
    out.foreign = pick(0, 2) == 0 ? 1.5 : 0;
    out.zero_channel = pick(0, 3) == 0;
    return out;
}

Prepared any_prepared() {
    const CaseSizes sizes = any_sizes();
    Prepared out(sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)));
    out.tokens = static_cast<std::uint32_t>(pick(1, sizes.tokens));
    out.pool_per_head = pick(0, 1) == 1;
    out.key_budget = static_cast<std::uint64_t>(pick(0, sizes.kv_heads * sizes.dim * sizes.depth + 3));
    out.value_budget =
        static_cast<std::uint64_t>(pick(0, sizes.kv_heads * static_cast<int>(out.tokens) * sizes.depth + 3));
    return out;
}

/// gamma_n for units of 2^-24.
Real gamma_single(std::uint64_t n) {
    const Real nu = Real(n) * 0x1p-24;
    return nu / (1 - nu);
}

struct Sum {
    Real sum = 0;
    Real magnitudes = 0;
    void add(const Real& term) {
        sum += term;
        magnitudes += abs(term);
    }
};

/// How far each stage is from its formula, over its bound: at most 1. `extra` spoils one number: a mutant.
Real worst_logit(const CallMemory& memory, const Decoded& decoded) {
    const std::size_t d = memory.layer.dim;
    const std::size_t tokens = memory.call.tokens;
    const Real root = sqrt(Real(d));
    Real worst = 0;
    for (std::size_t h = 0; h < memory.layer.query_heads; ++h)
        for (std::size_t j = 0; j < tokens; ++j) {
            Sum z;
            for (std::size_t c = 0; c < d; ++c)
                z.add(Real(memory.queries[h * d + c]) *
                      decoded.keys[(h / memory.layer.sharing() * d + c) * tokens + j]);
            const Real bound = gamma_single(d + 2) * z.magnitudes / root + Real(d) * 0x1p-149;
            worst = std::max<Real>(worst, abs(memory.logits[h * tokens + j] - z.sum / root) / bound);
        }
    return worst;
}

Real worst_attention(const CallMemory& memory) {
    const std::size_t tokens = memory.call.tokens;
    Real worst = 0;
    for (std::size_t h = 0; h < memory.layer.query_heads; ++h) {
        const float* const logits = memory.logits.data() + h * tokens;
        Real total = 0;
        for (std::size_t j = 0; j < tokens; ++j) total += exp(Real(logits[j]) - logits[0]);
        for (std::size_t j = 0; j < tokens; ++j) {
            const Real alpha = exp(Real(logits[j]) - logits[0]) / total;
            const Real bound = alpha * 0x1p-24 * (1 + Real(0x1p-16)) + Real(0x1p-149);
            worst = std::max<Real>(worst, abs(memory.attention[h * tokens + j] - alpha) / bound);
        }
    }
    return worst;
}

Real worst_output(const CallMemory& memory, const Decoded& decoded) {
    const std::size_t d = memory.layer.dim;
    const std::size_t tokens = memory.call.tokens;
    Real worst = 0;
    for (std::size_t h = 0; h < memory.layer.query_heads; ++h)
        for (std::size_t c = 0; c < d; ++c) {
            Sum o;
            for (std::size_t j = 0; j < tokens; ++j)
                o.add(Real(memory.attention[h * tokens + j]) *
                      decoded.values[(h / memory.layer.sharing() * tokens + j) * d + c]);
            const Real bound = gamma_single(257) * o.magnitudes + Real(tokens) * 0x1p-149;
            worst = std::max<Real>(worst, abs(memory.outputs[h * d + c] - o.sum) / bound);
        }
    return worst;
}

std::uint64_t choose_by_heap(std::span<const float> weights, std::span<const float> gains,
                             std::uint64_t budget, std::span<std::uint8_t> depths,
                             AllocationWorkspace& workspace) {
    return choose_depths_heap(weights, gains, budget, depths, workspace);
}

std::uint64_t choose_by_threshold(std::span<const float> weights, std::span<const float> gains,
                                  std::uint64_t budget, std::span<std::uint8_t> depths,
                                  AllocationWorkspace& workspace) {
    return choose_depths_threshold(weights, gains, budget, depths, workspace);
}

RC_GTEST_PROP(GpuReader, each_stage_keeps_its_bound, ()) {
    const Prepared prepared = any_prepared();
    const auto memory = prepared.run();
    const Decoded decoded = decode_all(prepared, *memory);
    RC_ASSERT(worst_logit(*memory, decoded) <= 1);
    RC_ASSERT(worst_attention(*memory) <= 1);
    RC_ASSERT(worst_output(*memory, decoded) <= 1);
    // the weights bit for bit: each operation rounded
    const std::size_t d = memory->layer.dim;
    const std::size_t sharing = memory->layer.sharing();
    for (std::size_t i = 0; i < memory->key_weights.size(); ++i) {
        float weight = 0;
        for (std::size_t h = i / d * sharing; h < (i / d + 1) * sharing; ++h) {
            const float scaled = memory->queries[h * d + i % d] * memory->layer.key_scale[i];
            const float square = scaled * scaled;
            weight = weight + square;
        }
        RC_ASSERT(memory->key_weights[i] == weight);
    }
    for (std::size_t i = 0; i < memory->value_weights.size(); ++i) {
        const std::size_t tokens = memory->call.tokens;
        float weight = 0;
        for (std::size_t h = i / tokens * sharing; h < (i / tokens + 1) * sharing; ++h) {
            const float alpha = memory->attention[h * tokens + i % tokens];
            const float square = alpha * alpha;
            weight = weight + square;
        }
        RC_ASSERT(memory->value_weights[i] == weight);
    }
}

/// Depths and increments are those of the heap and of the threshold on the processor, pool by pool.
RC_GTEST_PROP(GpuReader, allocates_as_the_processor_does, ()) {
    const Prepared prepared = any_prepared();
    const auto memory = prepared.run();
    const std::size_t pools = prepared.pool_per_head ? memory->layer.kv_heads : 1;
    AllocationWorkspace workspace;
    for (const bool values : {false, true})
        for (std::size_t pool = 0; pool < pools; ++pool) {
            const std::vector<float>& weights = values ? memory->value_weights : memory->key_weights;
            const std::vector<std::uint8_t>& depths = values ? memory->value_depths : memory->key_depths;
            const std::size_t n = weights.size() / pools;
            const std::span<const float> of_pool = std::span(weights).subspan(pool * n, n);
            std::vector<std::uint8_t> expected(n);
            for (const auto& choose : {&choose_by_heap, &choose_by_threshold}) {
                const std::uint64_t spent =
                    choose(of_pool, prepared.storage.gains,
                           values ? prepared.value_budget : prepared.key_budget, expected, workspace);
                RC_ASSERT(std::equal(expected.begin(), expected.end(),
                                     depths.begin() + static_cast<long>(pool * n)));
                RC_ASSERT(memory->spent[(values ? memory->layer.kv_heads : 0) + pool] == spent);
            }
        }
}

/// Reads what it is told to.
class GivenPolicy final : public DepthPolicy {
public:
    GivenPolicy(std::vector<std::uint8_t> keys, std::vector<std::uint8_t> values)
        : keys_(std::move(keys)), values_(std::move(values)) {}
    [[nodiscard]] Schedule choose(const StageItems& items, AllocationWorkspace&) const override {
        return {items.stage == Stage::keys ? keys_ : values_, 0, 0};
    }

private:
    std::vector<std::uint8_t> keys_;
    std::vector<std::uint8_t> values_;
};

/// The reader on the processor, at the device's depths: both are the paper's formulas over the same layer,
/// so their bounds add up. The processor's own error is below 2^-20 of the device's bound.
RC_GTEST_PROP(GpuReader, agrees_with_the_reader_on_the_processor, ()) {
    const Prepared prepared = any_prepared();
    const auto memory = prepared.run();
    Answered answered(prepared.input,
                      std::make_unique<GivenPolicy>(memory->key_depths, memory->value_depths));
    const TwoStageCall& call = answered.run(prepared.input, static_cast<int>(prepared.tokens));
    const std::size_t d = memory->layer.dim;
    const std::size_t tokens = prepared.tokens;
    const std::size_t sharing = memory->layer.sharing();
    // each term has one rounding more here, that of k^ or v^
    const double logit_gamma = static_cast<double>(gamma_single(d + 3)) * (1 + 0x1p-20);
    for (std::size_t h = 0; h < memory->layer.query_heads; ++h) {
        double widest = 0; // of the logits' bounds
        double least = 0;
        for (std::size_t j = 0; j < tokens; ++j) {
            double magnitude = 0;
            for (std::size_t c = 0; c < d; ++c)
                magnitude +=
                    std::abs(call.queries[h * d + c] * call.keys[(h / sharing * d + c) * tokens + j]);
            const double bound = logit_gamma * magnitude / std::sqrt(static_cast<double>(d)) +
                                 static_cast<double>(d) * 0x1p-140;
            RC_ASSERT(std::abs(memory->logits[h * tokens + j] - call.logits[h * tokens + j]) <= bound);
            widest = std::max(widest, bound);
        }
        // logits off by at most w: weights off by a factor of e^(2w) at most
        const double factor = std::expm1(2 * widest) + 0x1p-23 * std::exp(2 * widest);
        for (std::size_t j = 0; j < tokens; ++j) {
            const double alpha = call.attention[h].probabilities[j];
            RC_ASSERT(std::abs(memory->attention[h * tokens + j] - alpha) <= alpha * factor + 0x1p-148);
        }
        for (std::size_t c = 0; c < d; ++c) {
            double magnitude = 0;
            for (std::size_t j = 0; j < tokens; ++j) {
                const double value = std::abs(call.values[(h / sharing * tokens + j) * d + c]);
                magnitude += call.attention[h].probabilities[j] * value;
                least += 0x1p-147 * (value + 1);
            }
            const double bound =
                magnitude * (factor + static_cast<double>(gamma_single(258)) * (1 + factor)) + least;
            RC_ASSERT(std::abs(memory->outputs[h * d + c] - call.outputs[h * d + c]) <= bound);
        }
    }
}

CaseSizes fixed_sizes() {
    return {.kv_heads = 2, .query_heads = 4, .dim = 16, .tokens = 70, .depth = 8};
}

Prepared fixed_case() {
    Prepared out(fixed_sizes(), 7);
    out.key_budget = 32 * 3;
    out.value_budget = 140 * 3;
    return out;
}

/// A bit outside every prefix that is read changes nothing; one inside changes the output.
TEST(GpuReader, looks_at_the_prefixes_and_at_nothing_else) {
    Prepared prepared = fixed_case();
    const auto before = prepared.run();
    const std::size_t words = 3; // of 70 tokens
    for (std::size_t i = 0; i < before->key_depths.size(); ++i)
        for (std::size_t p = before->key_depths[i]; p < 8; ++p)
            for (std::size_t w = 0; w < words; ++w)
                prepared.storage.key_planes[(i * 8 + p) * words + w] ^= ~0U;
    for (std::size_t i = 0; i < before->value_depths.size(); ++i)
        for (std::size_t p = before->value_depths[i]; p < 8; ++p)
            prepared.storage.value_planes[i * 8 + p] ^= ~0U;
    EXPECT_TRUE(prepared.run()->same_bits(*before));
    const auto deepest = std::max_element(before->key_depths.begin(), before->key_depths.end());
    ASSERT_GT(*deepest, 0);
    const auto i = static_cast<std::size_t>(deepest - before->key_depths.begin());
    prepared.storage.key_planes[i * 8 * words] ^= 1U;
    const auto after = prepared.run();
    EXPECT_NE(after->logits, before->logits);
    EXPECT_NE(after->outputs, before->outputs);
}

/// A depth, a weight or a query that is off by the least that there is breaks a bound.
TEST(GpuReader, wrong_numbers_break_the_bounds) {
    const Prepared prepared = fixed_case();
    const auto memory = prepared.run();
    const Decoded decoded = decode_all(prepared, *memory);
    ASSERT_LE(worst_logit(*memory, decoded), 1);
    ASSERT_LE(worst_output(*memory, decoded), 1);
    auto& depth = *std::max_element(memory->key_depths.begin(), memory->key_depths.end());
    --depth;
    EXPECT_GT(worst_logit(*memory, decode_all(prepared, *memory)), 1);
    ++depth;
    auto& other = *std::max_element(memory->value_depths.begin(), memory->value_depths.end());
    --other;
    EXPECT_GT(worst_output(*memory, decode_all(prepared, *memory)), 1);
    ++other;
    memory->queries[0] *= 1.001F;
    EXPECT_GT(worst_logit(*memory, decoded), 1);
    float& weight = *std::max_element(memory->attention.begin(), memory->attention.end());
    weight *= 1 + 0x1p-22F;
    EXPECT_GT(worst_attention(*memory), 1);
}

/// Small weights become subnormal numbers and stay; those of long ago vanish.
TEST(GpuReader, small_attention_stays) {
    Prepared prepared({.kv_heads = 1, .query_heads = 1, .dim = 4, .tokens = 200, .query_scale = 40}, 3);
    prepared.key_budget = 32;
    prepared.value_budget = 800;
    const auto memory = prepared.run();
    EXPECT_LE(worst_attention(*memory), 1);
    std::size_t subnormal = 0;
    for (const float weight : memory->value_weights) subnormal += weight > 0 && weight < 0x1p-126F ? 1 : 0;
    EXPECT_GT(subnormal, 0U);
}

} // namespace
