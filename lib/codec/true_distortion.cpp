#include "lib/codec/true_distortion.hpp"

#include "lib/codec/gaussian.hpp"
#include "lib/error.hpp"

#include <algorithm>
#include <string>

namespace kvproof {
namespace {

Cut cut_at_minus_infinity() {
    Cut cut = cut_at_infinity();
    cut.x = neg(cut.x);
    cut.tail = Interval(Rational(1), 2);
    return cut;
}

std::vector<Interval> distortions(const Codebook<float>& codebook, Bits bits) {
    // The cells of every depth end at boundaries of the deepest one: one cut for each.
    const int deepest = codebook.depth();
    std::vector<Cut> cuts = {cut_at_minus_infinity()};
    for (const float boundary : codebook.boundaries[deepest])
        cuts.push_back(gaussian_cut(Interval::from_double(boundary), bits));
    cuts.push_back(cut_at_infinity());
    std::vector<Interval> out;
    for (int t = 0; t <= deepest; ++t) {
        const std::size_t stride = std::size_t{1} << (deepest - t);
        Interval sum(bits);
        for (std::size_t i = 0; i < codebook.centroids[t].size(); ++i)
            sum = add(sum,
                      cell_distortion(cuts[i * stride], cuts[(i + 1) * stride],
                                      Interval::from_double(codebook.centroids[t][i]), bits),
                      bits);
        out.push_back(std::move(sum));
    }
    return out;
}

} // namespace

std::vector<Interval> true_distortion(const Codebook<float>& codebook, Bits accuracy) {
    Bits bits = accuracy + 2L * codebook.depth() + 16;
    for (int attempt = 0; attempt < 8; ++attempt, bits *= 2) {
        std::vector<Interval> out = distortions(codebook, bits);
        if (std::ranges::all_of(out, [&](const Interval& d) { return d.accuracy() >= accuracy; })) return out;
    }
    throw Error(ErrorCode::precision_exhausted,
                "the distortion of a codebook does not reach " + std::to_string(accuracy) + " bits");
}

} // namespace kvproof
