// Exit status 1 where the two-stage reader's bodies differ from plain loops in double by more than their
// bounds, or from themselves at another width; small, to be compiled once for each mutant of them.
#include "lib/allocate/choose_depths.hpp"
#include "tests/gpu/call_memory.hpp"
#include "tests/gpu/made_up_layer.hpp"

#include <span>

using namespace kvproof;
using namespace kvproof::gpu;
using namespace kvproof::test;

namespace {

/// The reconstruction of one scalar, bit by bit.
double decoded(const MadeUpLayer& of, std::size_t plane, std::size_t words, unsigned t, std::size_t item,
               const std::vector<std::uint32_t>& planes, double mean, double scale) {
    std::size_t cell = 0;
    for (unsigned p = 0; p < t; ++p)
        cell = 2 * cell + (planes[(plane * of.layer.depth + p) * words + item / 32] >> (item % 32) & 1U);
    std::size_t before = 0;
    for (unsigned s = 0; s < t; ++s) before += std::size_t{1} << s;
    return mean + scale * of.centroids[before + cell];
}

bool near(double found, double expected, double magnitude, double roundings) {
    return std::abs(found - expected) <= roundings * 0x1p-24 * 1.01 * magnitude + 1e-37;
}

bool depths_are_the_heaps(const CallMemory& of, bool values) {
    const std::vector<float>& weights = values ? of.value_weights : of.key_weights;
    const std::vector<std::uint8_t>& depths = values ? of.value_depths : of.key_depths;
    const std::size_t pools = of.call.pool_per_head ? of.layer.kv_heads : 1;
    const std::size_t n = weights.size() / pools;
    AllocationWorkspace workspace;
    std::vector<std::uint8_t> expected(n);
    for (std::size_t pool = 0; pool < pools; ++pool) {
        const auto spent = choose_depths_heap(
            std::span(weights).subspan(pool * n, n), std::span(of.layer.gains.gain).first(of.layer.depth),
            values ? of.call.value_budget : of.call.key_budget, expected, workspace);
        if (spent != of.spent[(values ? of.layer.kv_heads : 0) + pool]) return false;
        if (!std::equal(expected.begin(), expected.end(), depths.begin() + static_cast<long>(pool * n)))
            return false;
    }
    return true;
}

bool is_right(const MadeUpLayer& of, const CallMemory& call) {
    const ReaderLayer& layer = of.layer;
    const std::size_t d = layer.dim;
    const std::size_t tokens = of.tokens;
    const std::size_t sharing = layer.query_heads / layer.kv_heads;
    const std::size_t key_words = (layer.tokens + 31) / 32;
    const std::size_t value_words = (d + 31) / 32;
    if (!depths_are_the_heaps(call, false) || !depths_are_the_heaps(call, true)) return false;
    for (std::size_t i = 0; i < layer.kv_heads * d; ++i) {
        double weight = 0;
        for (std::size_t h = i / d * sharing; h < (i / d + 1) * sharing; ++h)
            weight += std::pow(double{of.queries[h * d + i % d]} * of.key_scale[i], 2);
        if (!near(call.key_weights[i], weight, weight, 12)) return false;
    }
    for (std::size_t i = 0; i < layer.kv_heads * tokens; ++i) {
        double weight = 0;
        for (std::size_t h = i / tokens * sharing; h < (i / tokens + 1) * sharing; ++h)
            weight += std::pow(double{call.attention[h * tokens + i % tokens]}, 2);
        weight *= of.value_factor[i / tokens];
        if (!near(call.value_weights[i], weight, weight, 12)) return false;
    }
    for (std::size_t h = 0; h < layer.query_heads; ++h) {
        const std::size_t g = h / sharing;
        double total = 0;
        for (std::size_t j = 0; j < tokens; ++j) {
            double z = 0;
            double magnitude = 0;
            for (std::size_t c = 0; c < d; ++c) {
                const std::size_t at = g * d + c;
                const double term =
                    of.queries[h * d + c] * decoded(of, at, key_words, call.key_depths[at], j, of.key_planes,
                                                    of.key_mean[at], of.key_scale[at]);
                z += term;
                magnitude += std::abs(term);
            }
            const double root = std::sqrt(static_cast<double>(d));
            if (!near(call.logits[h * tokens + j], z / root, magnitude / root, static_cast<double>(d + 4)))
                return false;
            total += std::exp(double{call.logits[h * tokens + j]});
        }
        for (std::size_t j = 0; j < tokens; ++j) {
            const double alpha = std::exp(double{call.logits[h * tokens + j]}) / total;
            if (!near(call.attention[h * tokens + j], alpha, alpha, 1.1)) return false;
        }
        for (std::size_t c = 0; c < d; ++c) {
            double o = 0;
            double magnitude = 0;
            for (std::size_t j = 0; j < tokens; ++j) {
                const double term =
                    call.attention[h * tokens + j] *
                    decoded(of, g * layer.tokens + j, value_words, call.value_depths[g * tokens + j], c,
                            of.value_planes, of.value_mean[g * d + c], of.value_scale[g * d + c]);
                o += term;
                magnitude += std::abs(term);
            }
            if (!near(call.outputs[h * d + c], o, magnitude, 260)) return false;
        }
    }
    return true;
}

} // namespace

int main() {
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        const MadeUpLayer input(seed);
        CallMemory expected(input.layer, input.queries, input.tokens);
        input.budgets(expected.call);
        run_reader(serial_launch(), expected);
        if (!is_right(input, expected)) return 1;
        for (const FiberOptions& block : blocks_of(5, seed)) {
            CallMemory call(input.layer, input.queries, input.tokens);
            input.budgets(call.call);
            run_reader(fiber_launch(block), call);
            if (!call.same_bits(expected)) return 1;
        }
    }
    return 0;
}
