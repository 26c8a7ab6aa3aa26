#pragma once

#include "proofs/sample.hpp"

namespace kvproof {

/// What no sample of Theorem 1's remainder exceeds (RemainderSample): the keys' part in units of D_o A_0^4,
/// the values' in units of A_0^2 ||W_O||_F^2 sigma_V^2.
struct SampleRange {
    double key = 11.0 / 12;
    double least_value = -0.5;
    double greatest_value = 1;
};

/// The samples that `kvproof montecarlo white-noise` averages are within their range, roundings included, on
/// drawn decode steps of up to 48 tokens and 12 channels, eight draws of noise each, and on two tokens.
/// `range`: another one, for tests.
[[nodiscard]] Decision noise_samples_are_bounded(const Sample& sample, const SampleRange& range = {});

} // namespace kvproof
