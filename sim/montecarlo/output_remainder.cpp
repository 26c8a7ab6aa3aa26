#include "sim/montecarlo/output_remainder.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

double largest(const std::vector<double>& x, std::size_t n) {
    return *std::max_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
}

double product(const std::vector<double>& x, const std::vector<double>& y) {
    return eightfold_dot(x.data(), y.data(), x.size());
}

double bound_of(const RemainderConstants& constants, const DistortionTerms& terms) {
    const double cube = terms.reach * terms.reach * terms.reach;
    return (constants.spread * terms.spread + constants.cube * cube) * terms.omega +
           constants.fourth * terms.farthest * cube * terms.reach;
}

} // namespace

Reach reach_of(const std::vector<double>& query, const NoiseSizes& sizes, std::size_t tokens) {
    const double sigma = largest(sizes.key_token, tokens) * largest(sizes.key_channel, query.size());
    double one = 0;
    double two = 0;
    for (const double q : query) {
        one += std::fabs(q);
        two += q * q;
    }
    return {sizes.kappa * one * sigma, two * sigma * sigma};
}

DistortionTerms distortion_terms(const DecodeStep& step, const HeadOutput& head, const NoiseSizes& sizes) {
    DistortionTerms out;
    const Reach reach = reach_of(step.query, sizes, step.tokens);
    out.reach = reach.reach;
    out.spread = reach.spread;
    out.farthest = step.farthest;
    double logit = 0; // E alpha_i^2 over key_token^2
    double frobenius = 0;
    for (std::size_t c = 0; c < step.dim; ++c) {
        const double by_query = step.query[c] * sizes.key_channel[c];
        logit += by_query * by_query;
        out.token_omega += head.lengths[c] * sizes.value_channel[c] * sizes.value_channel[c];
        frobenius += head.lengths[c];
    }
    for (std::size_t i = 0; i < step.tokens; ++i) {
        const double of_key = step.weights[i] * sizes.key_token[i];
        const double of_value = step.weights[i] * sizes.value_token[i];
        out.key += of_key * of_key * step.distances[i];
        out.value += of_value * of_value;
    }
    out.key *= logit;
    out.value *= out.token_omega;
    const double sigma = largest(sizes.value_token, step.tokens) * largest(sizes.value_channel, step.dim);
    out.omega = sigma * sigma * frobenius;
    out.bound = bound_of(sharp_constants, out);
    out.printed = bound_of(printed_constants, out);
    return out;
}

RemainderSample remainder_sample(const DecodeStep& step, const NoiseSizes& sizes,
                                 const DistortionTerms& terms, const WeightChange& plus,
                                 const WeightChange& minus) {
    RemainderSample out;
    const std::vector<double> x = moved_output(step, plus.first);
    const std::vector<double> up = moved_output(step, plus.rest);
    const std::vector<double> down = moved_output(step, minus.rest);
    std::vector<double> odd(step.dim);
    for (std::size_t c = 0; c < step.dim; ++c) odd[c] = up[c] - down[c];
    out.key = product(x, odd) + 0.5 * (product(up, up) + product(down, down));
    for (std::size_t i = 0; i < step.tokens; ++i) {
        const double a = plus.of(i);
        const double b = minus.of(i);
        const double moved = step.weights[i] * (plus.rest[i] + minus.rest[i]) + 0.5 * (a * a + b * b);
        out.value += moved * sizes.value_token[i] * sizes.value_token[i];
    }
    out.value *= terms.token_omega;
    return out;
}

double remainder_allowance(std::size_t tokens, std::size_t dim) {
    return 64 * static_cast<double>(tokens + dim + 64) * 0x1p-53 / least_reach;
}

} // namespace kvproof
