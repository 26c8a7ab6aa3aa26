// The law of a coordinate x of a random unit vector, by the angle x = sin(a): density cos^(d-2)(a) up to a
// constant. Its partial moments are sums of positive terms.
#include "lib/codec/level_quantiser.hpp"
#include "lib/error.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace kvproof {
namespace {

/// Integrals from 0 to x of 1, x and x^2 against the density, not normalised.
struct Moments {
    double mass = 0;
    double first = 0;
    double second = 0;
};

/// Integral of cos^n from 0 to the angle, by parts: I_n = cos^(n-1) sin / n + (n-1)/n I_(n-2).
double cosine_power(int n, double angle, double sine, double cosine) {
    const bool even = n % 2 == 0;
    double sum = even ? angle : sine;
    double power = even ? cosine : cosine * cosine; // cos^(m-1)
    for (int m = even ? 2 : 3; m <= n; m += 2) {
        sum = power * sine / m + sum * (m - 1) / m;
        power *= cosine * cosine;
    }
    return sum;
}

Moments moments_to(double x, int dimension) {
    const int n = dimension - 2;
    const double angle = std::asin(x);
    const double cosine = std::sqrt((1 - x) * (1 + x));
    const double mass = cosine_power(n, angle, x, cosine);
    return {mass, (1 - std::pow(cosine, n + 1)) / (n + 1),
            mass - cosine_power(n + 2, angle, x, cosine)}; // sin^2 = 1 - cos^2
}

/// Moments of the cells above 0, between the levels' midpoints.
std::vector<Moments> cells(const std::vector<double>& positive, int dimension) {
    std::vector<Moments> out;
    Moments below;
    for (std::size_t i = 0; i < positive.size(); ++i) {
        const bool last = i + 1 == positive.size();
        const Moments to =
            moments_to(last ? 1 : std::fmin((positive[i] + positive[i + 1]) / 2, 1), dimension);
        out.push_back({to.mass - below.mass, to.first - below.first, to.second - below.second});
        below = to;
    }
    return out;
}

/// The upper half of the levels, as coordinates of unit vectors.
std::vector<double> upper_half(const LevelQuantiser& quantiser, int dimension) {
    const auto middle =
        quantiser.levels().begin() + static_cast<std::ptrdiff_t>(quantiser.levels().size() / 2);
    std::vector<double> out(middle, quantiser.levels().end());
    for (double& level : out) level /= std::sqrt(static_cast<double>(dimension));
    return out;
}

} // namespace

LevelQuantiser unit_vector_levels(int bits, int dimension) {
    if (dimension < 2 || bits < 1 || bits > 8)
        throw Error(ErrorCode::bad_option, "levels for unit vectors: found dimension " +
                                               std::to_string(dimension) + " and " + std::to_string(bits) +
                                               " bits, expected at least 2 and 1 to 8");
    std::vector<double> positive = upper_half(gaussian_levels(bits), dimension);
    // Into (0, 1), in order: a level beyond the support would have no cell and never move.
    for (double& x : positive) x /= std::sqrt(1 + x * x);
    constexpr int most_rounds = 20000;
    constexpr double still = 1e-14;
    double moved = 1;
    for (int round = 0; round < most_rounds && moved > still; ++round) {
        moved = 0;
        const std::vector<Moments> parts = cells(positive, dimension);
        for (std::size_t i = 0; i < positive.size(); ++i) {
            if (!(parts[i].mass > 0)) continue; // narrower than rounding
            const double centre = parts[i].first / parts[i].mass;
            moved = std::fmax(moved, std::fabs(centre - positive[i]));
            positive[i] = centre;
        }
    }
    std::vector<double> levels;
    const double root = std::sqrt(static_cast<double>(dimension));
    for (auto at = positive.rbegin(); at != positive.rend(); ++at) levels.push_back(-*at * root);
    for (const double level : positive) levels.push_back(level * root);
    return LevelQuantiser(std::move(levels));
}

double unit_vector_distortion(const LevelQuantiser& quantiser, int dimension) {
    const std::vector<double> positive = upper_half(quantiser, dimension);
    const std::vector<Moments> parts = cells(positive, dimension);
    double error = 0;
    double mass = 0;
    for (std::size_t i = 0; i < positive.size(); ++i) {
        error +=
            parts[i].second - 2 * positive[i] * parts[i].first + positive[i] * positive[i] * parts[i].mass;
        mass += parts[i].mass;
    }
    return error / mass * dimension;
}

} // namespace kvproof
