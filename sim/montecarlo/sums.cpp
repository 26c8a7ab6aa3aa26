#include "sim/montecarlo/sums.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

__extension__ typedef __int128 Wide; // NOLINT(modernize-use-using)
__extension__ typedef unsigned __int128 WideMagnitude;

Integer integer_from(Wide value) {
    const bool negative = value < 0;
    const auto magnitude = static_cast<WideMagnitude>(negative ? -value : value);
    Integer out = static_cast<std::uint64_t>(magnitude >> 64U);
    out = (out << 64) + static_cast<std::uint64_t>(magnitude);
    return negative ? -out : out;
}

[[noreturn]] void out_of_range(const Metric& metric, double sample, std::uint64_t trial) {
    throw Error(ErrorCode::internal,
                "trial " + std::to_string(trial) + ": found " + metric.name + " = " + std::to_string(sample) +
                    ", expected " + std::to_string(metric.lower) + " to " + std::to_string(metric.upper));
}

/// The integer nearest to x, ties to even; |x| <= 2^50.
std::int64_t nearest(double x) {
    constexpr double to_integer = 0x1.8p52;
    return static_cast<std::int64_t>((x + to_integer) - to_integer);
}

/// Squares are at most 2^96: so many of them fit 127 bits.
constexpr std::size_t most_at_once = std::size_t{1} << 30U;

} // namespace

MetricSums& MetricSums::operator+=(const MetricSums& other) {
    if (other.samples == 0) return *this;
    least = samples == 0 ? other.least : std::min(least, other.least);
    greatest = samples == 0 ? other.greatest : std::max(greatest, other.greatest);
    samples += other.samples;
    sum += other.sum;
    squares += other.squares;
    return *this;
}

void add_samples(MetricSums& sums, const Metric& metric, std::span<const double> samples,
                 std::uint64_t first) {
    const double scale = std::ldexp(1.0, -metric.grid());
    for (std::size_t begin = 0; begin < samples.size(); begin += most_at_once) {
        const std::size_t end = std::min(samples.size(), begin + most_at_once);
        MetricSums part;
        Wide sum = 0;
        Wide squares = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const double sample = samples[i];
            if (std::isnan(sample)) continue;
            if (!(metric.lower <= sample && sample <= metric.upper)) out_of_range(metric, sample, first + i);
            const std::int64_t n = nearest(sample * scale);
            part.least = part.samples == 0 ? n : std::min(part.least, n);
            part.greatest = part.samples == 0 ? n : std::max(part.greatest, n);
            ++part.samples;
            sum += n;
            squares += Wide{n} * n;
        }
        part.sum = integer_from(sum);
        part.squares = integer_from(squares);
        sums += part;
    }
}

Sums& Sums::operator+=(const Sums& other) {
    trials += other.trials;
    if (metrics.empty()) metrics.resize(other.metrics.size());
    for (std::size_t m = 0; m < metrics.size(); ++m) metrics[m] += other.metrics[m];
    return *this;
}

} // namespace kvproof
