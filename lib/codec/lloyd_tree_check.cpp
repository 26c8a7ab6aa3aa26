// The second check of the tree's splits. It shares nothing with their construction but the interval
// arithmetic: the signs come from the error function and from nothing but the enclosures of the boundaries.
#include "lib/codec/lloyd_tree.hpp"

#include <map>
#include <utility>

namespace kvproof {
namespace {

/// What the error function says at a point that may be infinite: exp(-x^2/2) and erf(x/sqrt 2).
struct ErfCut {
    Interval x;
    Interval bell;
    Interval erf;
};

/// The cuts at the two ends of an enclosure.
struct ErfEnds {
    ErfCut lower;
    ErfCut upper;
};

ErfCut mirrored(const ErfCut& cut) {
    return {neg(cut.x), cut.bell, neg(cut.erf)};
}

struct Before {
    bool operator()(const Interval& a, const Interval& b) const {
        const int lower = mpfr_cmp(a.lower(), b.lower());
        return lower < 0 || (lower == 0 && mpfr_less_p(a.upper(), b.upper()) != 0);
    }
};

/// Cuts at the ends of enclosures, each computed once: a boundary is the end of several cells, and as
/// exp(-x^2/2) is even and erf is odd, its mirror image needs no more.
class ErfCuts {
public:
    explicit ErfCuts(Bits bits)
        : bits_(bits), half_root_(sqrt(Interval(Rational(1, 2), 2), bits)),
          scale_(sqrt(div(Interval(Rational(2), 2), pi(bits), bits), bits)) {}

    [[nodiscard]] ErfEnds at(const Interval& boundary) {
        if (mpfr_sgn(boundary.lower()) >= 0) return of_positive(boundary);
        if (mpfr_sgn(boundary.upper()) > 0)
            return {computed(boundary.lower()), computed(boundary.upper())}; // it holds 0
        const ErfEnds& image = of_positive(neg(boundary));
        return {mirrored(image.upper), mirrored(image.lower)};
    }

    /// 2 m - c(l, m) - c(m, u).
    [[nodiscard]] Interval gap(const ErfCut& l, const ErfCut& m, const ErfCut& u) const {
        return sub(scale_by_power_of_two(m.x, 1), add(centroid(l, m), centroid(m, u), bits_), bits_);
    }

private:
    /// c(a, b) = sqrt(2/pi) (exp(-a^2/2) - exp(-b^2/2)) / (erf(b/sqrt 2) - erf(a/sqrt 2)).
    [[nodiscard]] Interval centroid(const ErfCut& a, const ErfCut& b) const {
        return mul(scale_, div(sub(a.bell, b.bell, bits_), sub(b.erf, a.erf, bits_), bits_), bits_);
    }

    [[nodiscard]] ErfCut computed(mpfr_srcptr point) const {
        const Interval x = Interval::point(point);
        const Interval bell = exp(scale_by_power_of_two(neg(sqr(x, bits_)), -1), bits_);
        return {x, bell, erf(mul(x, half_root_, bits_), bits_)};
    }

    /// The cut at `point` >= cut.x >= 0, by the mean value theorem: the bell falls and its slope -x
    /// exp(-x^2/2) is above -1, so on the way it lies between bell - d and bell; the slope of erf(x/sqrt 2)
    /// is sqrt(2/pi) times the bell. Over the width of an enclosure this is as good as evaluating both
    /// functions again.
    [[nodiscard]] ErfCut carried(const ErfCut& cut, mpfr_srcptr point) const {
        const Interval x = Interval::point(point);
        const Interval d = sub(x, cut.x, bits_);
        const Interval bells = join_ends(sub(cut.bell, d, bits_), cut.bell);
        const Interval fall = mul(join_ends(cut.x, x), bells, bits_);
        const Interval rise = mul(scale_, bells, bits_);
        return {x, sub(cut.bell, mul(d, fall, bits_), bits_), add(cut.erf, mul(d, rise, bits_), bits_)};
    }

    const ErfEnds& of_positive(const Interval& boundary) {
        const auto known = known_.find(boundary);
        if (known != known_.end()) return known->second;
        ErfCut lower = computed(boundary.lower());
        ErfCut upper = boundary.is_point() ? lower : carried(lower, boundary.upper());
        return known_.emplace(boundary, ErfEnds{std::move(lower), std::move(upper)}).first->second;
    }

    Bits bits_;
    Interval half_root_;
    Interval scale_;
    std::map<Interval, ErfEnds, Before> known_;
};

Interval infinite_point(int sign) {
    const Interval line = Interval::whole();
    return Interval::point(sign < 0 ? line.lower() : line.upper());
}

Truth split_exists(const Codebook<Interval>& tree, int t, std::size_t cell, ErfCuts& cuts) {
    const auto& above = tree.boundaries[t];
    const Interval& split = tree.boundaries[t + 1][2 * cell];
    if (t == 0)
        return split.is_point() && mpfr_zero_p(split.lower()) != 0 ? Truth::yes : Truth::no; // f is odd
    const ErfEnds l = cuts.at(cell == 0 ? infinite_point(-1) : above[cell - 1]);
    const ErfEnds m = cuts.at(split);
    const ErfEnds u = cuts.at(cell == above.size() ? infinite_point(1) : above[cell]);
    const Interval zero;
    return less(cuts.gap(l.lower, m.lower, u.lower), zero) & less(zero, cuts.gap(l.upper, m.upper, u.upper));
}

} // namespace

Truth split_exists(const Codebook<Interval>& tree, int t, std::size_t cell, Bits bits) {
    ErfCuts cuts(bits);
    return split_exists(tree, t, cell, cuts);
}

std::uint64_t existing_splits(const Codebook<Interval>& tree, Bits bits) {
    ErfCuts cuts(bits);
    std::uint64_t count = 0;
    for (int t = 0; t < tree.depth(); ++t)
        for (std::size_t cell = 0; cell < tree.centroids[t].size(); ++cell)
            if (split_exists(tree, t, cell, cuts) == Truth::yes) ++count;
    return count;
}

} // namespace kvproof
