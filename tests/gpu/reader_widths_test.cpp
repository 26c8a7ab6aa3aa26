// The device's reader has the same bits at every width and in every order. Needs no library: it runs under
// the sanitizers, too.
#include "tests/gpu/call_memory.hpp"
#include "tests/gpu/made_up_layer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

RC_GTEST_PROP(GpuReaderWidths, has_the_same_bits_at_every_width_and_in_every_order, (std::uint64_t seed)) {
    const MadeUpLayer input(seed);
    CallMemory expected(input.layer, input.queries, input.tokens);
    input.budgets(expected.call);
    run_reader(serial_launch(), expected);
    for (const float x : expected.outputs) RC_ASSERT(std::isfinite(x));
    const std::vector<gpu::FiberOptions> blocks = every_block(seed);
    for (std::size_t i = seed % 6; i < blocks.size(); i += 6) { // by turns: fibers take long
        CallMemory memory(input.layer, input.queries, input.tokens);
        input.budgets(memory.call);
        run_reader(fiber_launch(blocks[i]), memory);
        RC_ASSERT(memory.same_bits(expected));
    }
}

/// Strands: the terms once each, in the promised number of roundings.
RC_GTEST_PROP(GpuReaderWidths, strands_are_a_sum, (std::uint64_t seed)) {
    std::mt19937_64 next(seed);
    const auto n = static_cast<std::uint32_t>(next() % 700);
    std::vector<double> terms(n);
    std::uint64_t total = 0;
    for (double& term : terms) {
        const std::uint64_t whole = next() >> 20U; // sums of these are exact
        term = static_cast<double>(whole);
        total += whole;
    }
    for (const gpu::FiberOptions& block : every_block(seed))
        gpu::run_fibers(block, 1, [&](gpu::FiberGroup& g, int) {
            double* const scratch = g.shared<double>(gpu::strands);
            const auto term = [&](std::uint32_t i) { return terms[i]; };
            for (int again = 0; again < 2; ++again)
                RC_ASSERT(gpu::strand_sum(g, n, scratch, term) == static_cast<double>(total));
        });
}

} // namespace
