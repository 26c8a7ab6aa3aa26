#include "lib/attention/path_bound.hpp"

#include "lib/attention/largest_eigenvalue.hpp"
#include "lib/attention/single_gram.hpp"
#include "lib/attention/vector_kernels.hpp"
#include "lib/portable/error_bound.hpp"
#include "lib/portable/exp.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

/// A tangent of log Z at theta: nowhere above log Z on [0, 1].
struct Tangent {
    double theta;
    double value; ///< lowered by all that is not known, the slope's error over the whole interval included
    double slope;
    double radius; ///< by how much the value was lowered
};

class Overlap {
public:
    explicit Overlap(const LogitPath& path) : path_(path) {
        for (const double change : path.change) largest_change_ = std::max(largest_change_, std::abs(change));
        for (const double start : path.start) largest_start_ = std::max(largest_start_, std::abs(start));
        // of LSE(z) - LSE(z^)
        drop_ = path.exact.log_sum_exp - path.reader.log_sum_exp;
        drop_radius_ = add_up(add_up(path.exact.log_sum_exp_radius, path.reader.log_sum_exp_radius),
                              mul_up(2 * unit_roundoff, std::abs(drop_)));
    }

    /// At the ends log Z is exactly 0.
    [[nodiscard]] Tangent at_end(double theta) const {
        return tangent(theta, 0, 0, theta == 0 ? path_.reader : path_.exact);
    }

    [[nodiscard]] Tangent at(double theta) const {
        std::vector<double> logits(path_.start.begin(), path_.start.end());
        add_scaled(logits.data(), theta, path_.change.data(), logits.size());
        const double radius = add_up(add_up(path_.start_radius, path_.change_radius),
                                     mul_up(4 * unit_roundoff, add_up(largest_start_, largest_change_)));
        const Softmax here = softmax(logits, radius);
        const double ends = (1 - theta) * path_.reader.log_sum_exp + theta * path_.exact.log_sum_exp;
        const double magnitude =
            add_up(std::abs(path_.reader.log_sum_exp), std::abs(path_.exact.log_sum_exp));
        const double value = here.log_sum_exp - ends;
        double unknown = add_up(here.log_sum_exp_radius, mul_up(8 * unit_roundoff, magnitude));
        unknown = add_up(unknown, add_up(path_.reader.log_sum_exp_radius, path_.exact.log_sum_exp_radius));
        return tangent(theta, value, unknown, here);
    }

private:
    [[nodiscard]] Tangent tangent(double theta, double value, double unknown, const Softmax& p) const {
        const std::size_t count = path_.change.size();
        const double mean = dot_product(p.probabilities.data(), path_.change.data(), count);
        // sum p |Delta| <= largest |Delta|, p within its relative error, the sum's roundings
        double slope_radius =
            mul_up(add_up(mul_up(2, p.relative), gamma_up(count + 4)), mul_up(2, largest_change_));
        slope_radius =
            add_up(slope_radius, mul_up(static_cast<double>(count), mul_up(p.absolute, largest_change_)));
        slope_radius = add_up(add_up(slope_radius, path_.change_radius), drop_radius_);
        const double slope = mean - drop_;
        const double radius = add_up(add_up(unknown, slope_radius), mul_up(unit_roundoff, std::abs(slope)));
        return {theta, sub_down(value, radius), slope, radius};
    }

    const LogitPath& path_;
    double largest_change_ = 0;
    double largest_start_ = 0;
    double drop_ = 0;
    double drop_radius_ = 0;
};

struct Meeting {
    double theta;
    double value; ///< a lower bound of both lines' maximum on [0, 1]
};

Meeting meet(const Tangent& left, const Tangent& right) {
    const double turn = right.slope - left.slope;
    if (!(left.slope < 0 && right.slope > 0 && turn > 0)) return {0.5, std::min(left.value, right.value)};
    const double theta =
        std::clamp((left.value - right.value + right.slope * right.theta - left.slope * left.theta) / turn,
                   left.theta, right.theta);
    // Whatever theta is, the maximum of the two lines is nowhere below the lower of: the falling line at
    // theta (left of it that line is higher) and the rising line at theta (right of it likewise).
    const double falling = left.value + left.slope * (theta - left.theta);
    const double rising = right.value + right.slope * (theta - right.theta);
    const double least = std::min(falling, rising);
    const double magnitude =
        std::abs(left.value) + std::abs(right.value) + std::abs(left.slope) + right.slope;
    return {theta, least - 8 * unit_roundoff * magnitude};
}

} // namespace

double inverse_least_overlap(const LogitPath& path) {
    const Overlap overlap(path);
    Tangent left = overlap.at_end(0);
    Tangent right = overlap.at_end(1);
    if (!std::isfinite(left.value) || !std::isfinite(right.value))
        return std::numeric_limits<double>::infinity();
    Meeting meeting = meet(left, right);
    constexpr int contacts = 12;
    constexpr double small_gap = 1e-3; // of log Z: a thousandth of the bound
    for (int i = 0; i < contacts; ++i) {
        const double highest = std::min(left.value, right.value); // log Z there, nearly: the minimum is below
        if (highest - meeting.value <= small_gap * std::max(1e-3, -meeting.value)) break;
        const Tangent here = overlap.at(meeting.theta);
        if (!std::isfinite(here.value))
            return std::numeric_limits<double>::infinity(); // nothing is known here
        (here.slope < 0 ? left : right) = here;
        const Meeting next = meet(left, right);
        if (next.value <= meeting.value && i > 0) break; // as sharp as the radii allow
        meeting.value = std::max(meeting.value, next.value);
        meeting.theta = next.theta;
    }
    const double exponent = std::max(0.0, -meeting.value);
    return mul_up(portable::exp(exponent), add_up(1, mul_up(4, portable::exp_error)));
}

namespace {

/// The rows that count in directions: all but those of the least shares, whose sum may be the allowance.
std::vector<std::uint32_t> rows_that_count(std::span<const double> shares, double allowance) {
    // shares by half powers of two below the largest: what all lower ones sum to decides the cut
    constexpr std::uint64_t halves = 64;
    const auto key = [](double share) { return std::bit_cast<std::uint64_t>(share) >> 51U; };
    const double largest = *std::ranges::max_element(shares);
    const std::uint64_t top = key(largest);
    std::array<double, halves> sums{};
    const auto place = [&](double share) { return std::min(halves - 1, top - key(share)); };
    for (const double share : shares) sums[place(share)] += share;
    std::uint64_t cut = halves - 1; // the last place that is kept
    for (double below = sums[cut]; cut > 0 && below <= allowance; below += sums[cut]) --cut;
    std::vector<std::uint32_t> kept;
    kept.reserve(shares.size());
    for (std::size_t j = 0; j < shares.size(); ++j)
        if (place(shares[j]) <= cut && shares[j] > 0) kept.push_back(static_cast<std::uint32_t>(j));
    return kept;
}

} // namespace

double spread_up(std::span<const double> rows, std::size_t dim, const Softmax& weights,
                 std::span<const double> squared_norms, std::span<const double> centre) {
    const std::vector<double>& p = weights.probabilities;
    const std::size_t tokens = p.size();
    const double inflation =
        div_up(1, sub_down(1, weights.relative)); // p <= p~ times this, but for `absolute`
    std::vector<double> shares(tokens);
    double trace = 0;
    double largest = 0;
    double squares = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
        shares[j] = p[j] * squared_norms[j];
        trace += shares[j];
        squares += squared_norms[j];
        largest = std::max(largest, squared_norms[j]);
    }
    if (largest == 0) return 0;
    const std::vector<std::uint32_t> kept = rows_that_count(shares, trace * 1e-3 / static_cast<double>(dim));
    double rest = 0;
    std::size_t next = 0;
    for (std::size_t j = 0; j < tokens; ++j) {
        if (next < kept.size() && kept[next] == j)
            ++next;
        else
            rest += shares[j];
    }
    rest = add_up(mul_up(rest, add_up(1, gamma_up(tokens + 4))), static_cast<double>(tokens) * 0x1p-1074);
    EigenvalueOptions options;
    options.slack = 1e-5;
    options.residual = 1e-4;
    const double above =
        largest_eigenvalue(single_gram({rows.data(), dim, centre, p, kept, std::sqrt(largest)}).matrix(),
                           options)
            .upper;
    const double total = mul_up(inflation, add_up(above, rest));
    // half of it would do
    return add_up(total, mul_up(weights.absolute, mul_up(4, squares)));
}

} // namespace kvproof
