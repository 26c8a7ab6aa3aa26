// The certificate has the same bits at every width and in every order. Needs no library: it runs under the
// sanitizers, too.
#include "tests/gpu/certificate_memory.hpp"
#include "tests/gpu/made_up_layer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

namespace {

RC_GTEST_PROP(GpuCertificateWidths, has_the_same_bits_at_every_width_and_in_every_order,
              (std::uint64_t seed)) {
    MadeUpLayer input(seed);
    if (input.layer.dim > 17) input.layer.dim = 17; // the arrays are long enough, whatever they mean
    CallMemory answered(input.layer, input.queries, input.tokens);
    input.budgets(answered.call);
    run_reader(serial_launch(), answered);
    std::vector<double> distortions;
    for (std::uint32_t t = 0; t <= input.layer.depth; ++t) distortions.push_back(std::pow(0.25, t));
    CertificateMemory expected(answered, input.keys, input.values, distortions);
    run_certificate(serial_launch(), expected);
    for (const gpu::HeadCertificate& head : expected.heads) RC_ASSERT(std::isfinite(head.bound));
    // two of the widths and one order of each by turns: fibers take long
    for (const std::uint64_t turn : {seed, seed + 3}) {
        const gpu::FiberOptions block = blocks_of(every_width[turn % 6], seed)[seed / 6 % 3];
        CertificateMemory memory(answered, input.keys, input.values, distortions);
        run_certificate(fiber_launch(block), memory);
        RC_ASSERT(memory.same_bits(expected));
    }
}

} // namespace
