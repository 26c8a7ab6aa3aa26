// Samples of AATC's remainder under white noise stay within their range, and not within a smaller one.
#include "proofs/aatc/noise_samples.hpp"

#include <gtest/gtest.h>

using namespace kvproof;

namespace {

const NestedCode& code() {
    static const NestedCode made = gaussian_code(1); // no statement of AATC's looks at it
    return made;
}

TEST(AatcNoiseSamples, are_within_their_range) {
    const Decision decision = noise_samples_are_bounded({code(), 0, 60});
    EXPECT_EQ(decision.verdict, Verdict::supported);
    EXPECT_EQ(decision.cases, 8U * 62);
    ASSERT_TRUE(decision.slack.has_value());
    EXPECT_GT(decision.slack->lower_rational(), 1);
    EXPECT_EQ(noise_samples_are_bounded({code(), 7, 60}).verdict, Verdict::supported);
}

TEST(AatcNoiseSamples, smaller_ranges_are_refuted) {
    EXPECT_EQ(noise_samples_are_bounded({code(), 0, 60}, {.key = 0.3}).verdict, Verdict::refuted);
    EXPECT_EQ(noise_samples_are_bounded({code(), 0, 60}, {.least_value = -0.15}).verdict, Verdict::refuted);
    EXPECT_EQ(noise_samples_are_bounded({code(), 0, 60}, {.greatest_value = 0.45}).verdict, Verdict::refuted);
}

} // namespace
