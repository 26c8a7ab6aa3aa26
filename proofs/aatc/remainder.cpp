// AATC, Theorem 1: the remainder by enumeration of the noise.

#include "proofs/aatc/remainder.hpp"

#include "proofs/draws.hpp"
#include "proofs/outcome.hpp"

#include <algorithm>

namespace kvproof {
namespace {

using Vector = std::vector<Rational>;
using Matrix = std::vector<Vector>;

Rational squared_norm(const Vector& x) {
    Rational sum;
    for (const Rational& entry : x) sum += entry * entry;
    return sum;
}

Rational largest(const Matrix& sizes) {
    Rational out;
    for (const Vector& row : sizes)
        for (const Rational& size : row) out = std::max(out, size);
    return out;
}

std::size_t entries(const Matrix& sizes) {
    return sizes.size() * sizes.front().size();
}

/// The sizes with the signs that the pattern's bits give them, row by row.
Matrix with_signs(const Matrix& sizes, std::uint64_t pattern) {
    Matrix out = sizes;
    for (Vector& row : out)
        for (Rational& entry : row) {
            if ((pattern & 1U) != 0) entry = -entry;
            pattern >>= 1U;
        }
    return out;
}

/// softmax(logits + errors q)
std::vector<Interval> attention(const TwoPointNoise& noise, const Matrix& errors, Bits bits) {
    std::vector<Interval> out;
    Interval total(Rational(0), bits);
    for (std::size_t i = 0; i < noise.logits.size(); ++i) {
        Rational logit = noise.logits[i];
        for (std::size_t c = 0; c < noise.query.size(); ++c) logit += noise.query[c] * errors[i][c];
        out.push_back(exp(Interval(logit, bits), bits));
        total = add(total, out.back(), bits);
    }
    for (Interval& weight : out) weight = div(weight, total, bits);
    return out;
}

using Rows = std::vector<std::vector<Interval>>;

/// (v_i + errors_i) W_O, a row for each token.
Rows values_of(const TwoPointNoise& noise, const Matrix& errors, Bits bits) {
    Rows out;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        out.emplace_back();
        for (std::size_t k = 0; k < noise.outputs[i].size(); ++k) {
            Rational value = noise.outputs[i][k];
            for (std::size_t c = 0; c < errors[i].size(); ++c) value += errors[i][c] * noise.projection[c][k];
            out.back().emplace_back(value, bits);
        }
    }
    return out;
}

std::vector<Interval> output(const std::vector<Interval>& weights, const Rows& values, Bits bits) {
    std::vector<Interval> out(values.front().size(), Interval(Rational(0), bits));
    for (std::size_t i = 0; i < weights.size(); ++i)
        for (std::size_t k = 0; k < out.size(); ++k)
            out[k] = add(out[k], mul(weights[i], values[i][k], bits), bits);
    return out;
}

Interval squared_distance(const std::vector<Interval>& x, const std::vector<Interval>& y, Bits bits) {
    Interval sum(Rational(0), bits);
    for (std::size_t k = 0; k < x.size(); ++k) sum = add(sum, sqr(sub(x[k], y[k], bits), bits), bits);
    return sum;
}

Matrix drawn_matrix(Draws& draws, int rows, int columns, int lowest, int highest, int denominator) {
    Matrix out(static_cast<std::size_t>(rows), Vector(static_cast<std::size_t>(columns)));
    for (Vector& row : out)
        for (Rational& entry : row) entry = Rational(lowest + draws.below(highest - lowest + 1), denominator);
    return out;
}

/// Small noise as often as large: the sizes are multiples of 1/64, 1/8 or 1.
TwoPointNoise drawn_noise(Draws& draws) {
    const int tokens = 1 + draws.below(4);
    const int most = std::max(1, 8 / tokens - 1);
    const int keys = 1 + draws.below(std::min(2, most));
    const int values = 1 + draws.below(std::min(2, std::max(1, 8 / tokens - keys)));
    const int width = 1 + draws.below(2);
    TwoPointNoise out;
    out.logits = drawn_matrix(draws, 1, tokens, -12, 12, 4).front();
    out.query = drawn_matrix(draws, 1, keys, -4, 4, 4).front();
    out.outputs = drawn_matrix(draws, tokens, width, -8, 8, 4);
    out.projection = drawn_matrix(draws, values, width, -4, 4, 4);
    out.key_noise = drawn_matrix(draws, tokens, keys, 0, 4, draws.pick({1, 8, 64}));
    out.value_noise = drawn_matrix(draws, tokens, values, 0, 4, draws.pick({1, 8, 64}));
    return out;
}

} // namespace

DistortionParts distortion_parts(const TwoPointNoise& noise, Bits bits) {
    const auto exact = [bits](const Rational& value) { return Interval(value, bits); };
    const std::size_t tokens = noise.logits.size();
    const Matrix no_key_errors(tokens, Vector(noise.query.size()));
    const Matrix no_value_errors(tokens, Vector(noise.projection.size()));
    const std::vector<Interval> weights = attention(noise, no_key_errors, bits);
    const Rows values = values_of(noise, no_value_errors, bits);
    const std::vector<Interval> clean = output(weights, values, bits);

    DistortionParts out;
    Interval total = exact(0);
    const std::uint64_t key_patterns = std::uint64_t{1} << entries(noise.key_noise);
    const std::uint64_t value_patterns = std::uint64_t{1} << entries(noise.value_noise);
    std::vector<Rows> noisy_values;
    for (std::uint64_t v = 0; v < value_patterns; ++v)
        noisy_values.push_back(values_of(noise, with_signs(noise.value_noise, v), bits));
    for (std::uint64_t k = 0; k < key_patterns; ++k) {
        const std::vector<Interval> moved = attention(noise, with_signs(noise.key_noise, k), bits);
        for (const Rows& noisy : noisy_values)
            total = add(total, squared_distance(clean, output(moved, noisy, bits), bits), bits);
    }
    out.distortion = div(total, exact(Rational(key_patterns) * value_patterns), bits);

    out.key = exact(0);
    out.value = exact(0);
    Interval widest = exact(0); // D_o
    for (std::size_t i = 0; i < tokens; ++i) {
        const Interval residual = squared_distance(values[i], clean, bits);
        widest = max(widest, residual);
        Rational keys;
        for (std::size_t c = 0; c < noise.query.size(); ++c)
            keys += noise.query[c] * noise.query[c] * noise.key_noise[i][c] * noise.key_noise[i][c];
        Rational spread;
        for (std::size_t c = 0; c < noise.projection.size(); ++c)
            spread += noise.value_noise[i][c] * noise.value_noise[i][c] * squared_norm(noise.projection[c]);
        const Interval squared_weight = sqr(weights[i], bits);
        out.key = add(out.key, mul(mul(squared_weight, residual, bits), exact(keys), bits), bits);
        out.value = add(out.value, mul(squared_weight, exact(spread), bits), bits);
    }
    out.remainder = sub(out.distortion, add(out.key, out.value, bits), bits);

    const Rational key_size = largest(noise.key_noise);
    const Rational value_size = largest(noise.value_noise);
    Rational reach; // A_0
    for (const Rational& entry : noise.query) reach += (entry < 0 ? Rational(-entry) : entry) * key_size;
    const Rational variance = squared_norm(noise.query) * key_size * key_size;
    Rational frobenius;
    for (const Vector& row : noise.projection) frobenius += squared_norm(row);
    const auto bound = [&](const Rational& c1, const Rational& c2, const Rational& c3) {
        const Rational of_values =
            (c1 * variance + c2 * power(reach, 3)) * frobenius * value_size * value_size;
        return add(exact(of_values), mul(exact(c3 * power(reach, 4)), widest, bits), bits);
    };
    out.bound = bound(Rational(27, 100), Rational(5, 6), Rational(11, 12));
    out.printed = bound(4, 156, 95);
    return out;
}

Decision remainder_is_bounded(const Sample& sample) {
    constexpr Bits bits = 128;
    constexpr std::uint16_t stream = 128;
    Outcome outcome;
    for (std::uint64_t i = 0; i < sample.cases && !outcome.failed(); ++i) {
        Draws draws(sample.seed, i, stream);
        const DistortionParts parts = distortion_parts(drawn_noise(draws), bits);
        const Rational size = abs(parts.remainder).upper_rational();
        const std::string where = "case " + std::to_string(i);
        outcome.count();
        // Where R is 0 (one token, or no noise) only rounding is left, and a bound may be 0 too.
        if (parts.remainder.contains(Rational(0)) && size < power(Rational(2), -64)) continue;
        outcome.hold(size, parts.bound.lower_rational(), where);
        outcome.hold(size, parts.printed.lower_rational(), where + ", printed constants");
    }
    return outcome.decision();
}

} // namespace kvproof
