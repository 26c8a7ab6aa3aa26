#include "lib/allocate/gain_bracket.hpp"

#include <algorithm>
#include <limits>

namespace kvproof {
namespace {

/// Counts gains from the counts of weights. For a level, the rounded product weight * Delta rises with the
/// weight; so the gains of at least c are those of the weights from some point on, and the bin with this
/// point in it bounds their number from both sides.
template <class Number>
class GainCounter {
public:
    GainCounter(const WeightHistogram<Number>& histogram, std::span<const Number> gains)
        : histogram_(histogram), gains_(gains) {
        for (std::size_t t = 0; t < gains.size(); ++t) inverse_[t] = Number(1) / gains[t];
    }

    /// The first bin of which all weights surely have a gain of at least c > 0 at this level; bins() if none.
    /// At least 1, as bin 0 begins at 0.
    [[nodiscard]] std::size_t first_sure(Number c, std::size_t level) const {
        const Number guess = c * inverse_[level];
        std::size_t bin = histogram_.bin_of(guess);
        const auto reaches = [&](std::size_t b) { return histogram_.weight(b) * gains_[level] >= c; };
        while (bin > 0 && reaches(bin - 1)) --bin;
        while (bin < histogram_.bins() && !reaches(bin)) ++bin;
        return bin;
    }

    /// No more than the number of gains of at least c > 0.
    [[nodiscard]] std::uint64_t at_least(Number c) const {
        std::uint64_t sum = 0;
        for (std::size_t t = 0; t < gains_.size(); ++t) sum += histogram_.from(first_sure(c, t));
        return sum;
    }

    /// No less than the number of gains of at least c > 0.
    [[nodiscard]] std::uint64_t at_most(Number c) const {
        std::uint64_t sum = 0;
        for (std::size_t t = 0; t < gains_.size(); ++t) sum += histogram_.from(first_sure(c, t) - 1);
        return sum;
    }

    /// The first level's gain at the edge of a bin: the values of c that are tried.
    [[nodiscard]] Number gain(std::size_t bin) const { return histogram_.weight(bin) * gains_[0]; }

private:
    const WeightHistogram<Number>& histogram_;
    std::span<const Number> gains_;
    std::array<Number, 255> inverse_{};
};

/// The first bin in [from, to) for which the condition, once true always true, holds; else `to`.
template <class Condition>
std::size_t first_bin(std::size_t from, std::size_t to, const Condition& condition) {
    while (from < to) {
        const std::size_t middle = from + (to - from) / 2;
        if (condition(middle))
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

/// The same by steps that double: quick where the bin is near `from`.
template <class Condition>
std::size_t first_bin_near(std::size_t from, std::size_t to, const Condition& condition) {
    for (std::size_t step = 1; from < to; step *= 2) {
        const std::size_t last = std::min(to, from + step) - 1;
        if (condition(last)) return first_bin(from, last, condition);
        from = last + 1;
    }
    return to;
}

} // namespace

template <class Number>
GainBracket gain_bracket(const WeightHistogram<Number>& histogram, std::span<const Number> gains,
                         std::uint64_t budget) {
    const GainCounter<Number> counter(histogram, gains);
    const std::size_t bins = histogram.bins();
    const auto too_few = [&](std::size_t bin) {
        return counter.gain(bin) > 0 && counter.at_least(counter.gain(bin)) < budget;
    };
    const auto surely_too_few = [&](std::size_t bin) {
        return counter.gain(bin) > 0 && counter.at_most(counter.gain(bin)) < budget;
    };
    const std::size_t above_lower = first_bin(0, bins, too_few);
    const std::size_t upper = first_bin_near(above_lower, bins, surely_too_few);

    GainBracket out;
    // Without a lower end every positive gain is a candidate.
    const bool has_lower = above_lower > 0 && counter.gain(above_lower - 1) > 0;
    for (std::size_t t = 0; t < gains.size(); ++t) {
        const std::size_t lower_bin =
            has_lower ? counter.first_sure(counter.gain(above_lower - 1), t) - 1 : 0;
        const std::size_t upper_bin = upper < bins ? counter.first_sure(counter.gain(upper), t) : bins;
        out.lower[t] = histogram.edge(lower_bin);
        out.upper[t] =
            upper_bin < bins ? histogram.edge(upper_bin) : std::numeric_limits<std::int32_t>::max();
        out.above += histogram.from(upper_bin);
    }
    return out;
}

template GainBracket gain_bracket(const WeightHistogram<float>&, std::span<const float>, std::uint64_t);
template GainBracket gain_bracket(const WeightHistogram<double>&, std::span<const double>, std::uint64_t);

} // namespace kvproof
