#pragma once

#include "lib/codec/unit_vector_code.hpp"

#include <cstdint>
#include <vector>

namespace kvproof {

/// TurboQuant's prod variant: a UnitVectorCode of one bit less, and of the residual r of the direction the
/// signs of S r and its binary16 norm, where S is a d x d matrix of independent N(0, 1). What is decoded,
///     u^ + |r| sqrt(pi/2)/d S' sign(S r),
/// has the expectation u over S: inner products with it are unbiased.
class InnerProductCode {
public:
    /// Row i of S is numbers i d .. i d + d - 1 of the sequence in which sample n of the place (seed, trial
    /// 0, random_experiment::key_sketch) gives numbers 2n and 2n + 1, by Box and Muller.
    InnerProductCode(UnitVectorCode direction, std::uint64_t seed);

    /// As UnitVectorCode::quantise.
    bool quantise(std::span<double> x) const;

private:
    UnitVectorCode direction_;
    std::vector<double> sketch_; // S
};

} // namespace kvproof
