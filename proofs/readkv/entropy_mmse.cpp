// ReadKV E.1, eq. (4): M_n/n >= 2^(1-2b/n)/(pi e). The inequality is classical; here every quantiser of some
// finite families is held against it, at its number of cells and, sharper, at the entropy of its output.

#include "lib/exact/decimal.hpp"
#include "proofs/functions.hpp"

#include <algorithm>
#include <map>

namespace kvproof {
namespace {

constexpr Bits bits = 192;

/// What a partition of the n grid intervals of [-1, 1] amounts to: its blocks' sizes and its mean square
/// error.
struct Partition {
    std::vector<int> sizes;
    Rational error; // E Var(Xi | block), Xi uniform
};

/// Error of estimating Xi by the block's mean, exactly. An interval with midpoint m and length h has
/// integral of x^2 equal to h (m^2 + h^2/12).
Partition describe(const std::vector<int>& block_of, int blocks) {
    const auto n = static_cast<int>(block_of.size());
    const Rational h = Rational(2) / n;
    std::vector<Rational> sum(blocks);
    std::vector<Rational> sum_of_squares(blocks);
    Partition out;
    out.sizes.resize(blocks);
    for (int i = 0; i < n; ++i) {
        const Rational middle = h * i + h / 2 - 1;
        const int block = block_of[i];
        ++out.sizes[block];
        sum[block] += middle;
        sum_of_squares[block] += middle * middle + h * h / 12;
    }
    for (int block = 0; block < blocks; ++block)
        out.error += (sum_of_squares[block] - sum[block] * sum[block] / out.sizes[block]) / n;
    return out;
}

/// All partitions of n intervals into at most `most` blocks, by restricted growth: interval i joins a block
/// that is there or opens the next one.
template <class Visit>
void each_partition(int n, int most, const Visit& visit) {
    std::vector<int> block_of(n, 0);
    const auto extend = [&](const auto& self, int i, int blocks) -> void {
        if (i == n) return visit(describe(block_of, blocks));
        for (int block = 0; block < std::min(blocks + 1, most); ++block) {
            block_of[i] = block;
            self(self, i + 1, std::max(blocks, block + 1));
        }
    };
    extend(extend, 0, 0);
}

class Tally {
public:
    explicit Tally(Decision& out) : out_(out) {}

    /// M against bound: the ratio must be at least 1.
    void compare(const char* family, const Interval& error, const Interval& bound) {
        ++out_.cases;
        const Interval ratio = div(error, bound, bits);
        const Truth good = less_equal(Interval(Rational(1), 2), ratio);
        if (good != Truth::yes) out_.verdict = good == Truth::no ? Verdict::refuted : Verdict::undecided;
        const auto [at, fresh] = least_.try_emplace(family, ratio);
        if (!fresh) at->second = min(at->second, ratio);
        out_.slack = out_.slack ? min(*out_.slack, ratio) : ratio;
    }

    void finish() {
        for (const auto& [family, ratio] : least_)
            out_.witness.push_back({"smallest ratio, " + family, {shared_decimal(ratio, 12)}});
    }

private:
    Decision& out_;
    std::map<std::string, Interval> least_;
};

/// 2^(1 - 2 b) / (pi e), the bound per coordinate for a rate of b bits per coordinate.
Interval bound_at(const Interval& rate) {
    const Interval exponent = sub(Interval(Rational(1), bits), scale_by_power_of_two(rate, 1), bits);
    return div(pow(Interval(Rational(2), 2), exponent, bits), mul(pi(bits), euler_e(bits), bits), bits);
}

Interval rational(const Rational& value) {
    return Interval(value, bits);
}

/// Entropy in bits of a block index with these sizes out of n.
Interval entropy(const std::vector<int>& sizes, int n) {
    const Interval log_two = log(Interval(Rational(2), 2), bits);
    Interval sum(bits);
    for (const int size : sizes) {
        if (size == n) continue; // p = 1 carries nothing
        const Interval p = rational(Rational(size, n));
        sum = sub(sum, div(mul(p, log(p, bits), bits), log_two, bits), bits);
    }
    return sum;
}

} // namespace

Decision quantisers_obey_entropy_bound(const Claim& claim, const Context& /*context*/) {
    const auto grid = static_cast<int>(parameter(claim, "grid"));
    Decision out;
    out.verdict = Verdict::supported;
    out.bits = bits;
    Tally tally(out);
    // The entropy depends on the block sizes alone.
    std::map<std::vector<int>, Interval> bound_of_sizes;
    for (const int b : {1, 2}) {
        const Interval bound = bound_at(rational(b));
        each_partition(grid, 1 << b, [&](Partition partition) {
            const Interval error = rational(partition.error);
            tally.compare("partitions at log2 of the number of cells", error, bound);
            std::ranges::sort(partition.sizes);
            auto [at, fresh] = bound_of_sizes.try_emplace(partition.sizes);
            if (fresh) at->second = bound_at(entropy(partition.sizes, grid));
            tally.compare("partitions at the entropy of the cell", error, at->second);
        });
    }
    for (int b = 1; b <= 16; ++b) // 2^b equal cells: M = 4^-b/3
        tally.compare("uniform quantisers", rational(power(Rational(4), -b) / 3), bound_at(rational(b)));
    for (int b = 0; b <= 8; ++b) // products of two uniform quantisers, n = 2
        for (int c = 0; c <= 8; ++c)
            tally.compare("products of uniform quantisers",
                          rational((power(Rational(4), -b) + power(Rational(4), -c)) / 6),
                          bound_at(rational(Rational(b + c, 2))));
    tally.finish();
    return out;
}

} // namespace kvproof
