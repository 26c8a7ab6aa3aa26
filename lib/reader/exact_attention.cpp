#include "lib/reader/exact_attention.hpp"

#include "lib/portable/exp.hpp"

#include <algorithm>
#include <limits>

namespace kvproof {

double dot(std::span<const double> x, std::span<const double> y) {
    double sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c) sum += x[c] * y[c];
    return sum;
}

std::vector<double> attention_weights(std::span<const double> logits) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const double logit : logits) largest = std::max(largest, logit);
    std::vector<double> weights(logits.size());
    if (largest == -std::numeric_limits<double>::infinity()) return weights;
    double sum = 0;
    for (std::size_t j = 0; j < logits.size(); ++j) {
        weights[j] = portable::exp(logits[j] - largest);
        sum += weights[j];
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

} // namespace kvproof
