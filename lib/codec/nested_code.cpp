#include "lib/codec/nested_code.hpp"

#include "lib/codec/lloyd_tree.hpp"
#include "lib/codec/true_distortion.hpp"
#include "lib/error.hpp"

namespace kvproof {
namespace {

constexpr Bits first_accuracy = 96;
constexpr Bits last_accuracy = 1536;

double rounded(const Interval& value) {
    const auto shared = shared_float64(value);
    if (!shared)
        throw Error(ErrorCode::precision_exhausted, "a distortion lies too close to a binary64 midpoint");
    return *shared;
}

/// Calls attempt(accuracy) at doubling accuracies until every number rounds for certain.
template <class Attempt>
NestedCode until_rounded(const Attempt& attempt) {
    for (Bits accuracy = first_accuracy;; accuracy *= 2) {
        try {
            return attempt(accuracy);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::precision_exhausted || accuracy >= last_accuracy) throw;
        }
    }
}

} // namespace

NestedCode cut(const NestedCode& code, int depth) {
    NestedCode out = code;
    const auto levels = static_cast<std::size_t>(depth);
    out.codebook.boundaries.resize(levels + 1);
    out.codebook.centroids.resize(levels + 1);
    out.distortion.resize(levels + 1);
    out.gain.resize(levels);
    return out;
}

NestedCode gaussian_code(int depth) {
    return until_rounded([depth](Bits accuracy) {
        const LloydTree tree = lloyd_tree(depth, accuracy);
        NestedCode code;
        for (const LloydLevel& level : tree.levels) {
            code.distortion.push_back(rounded(level.distortion));
            if (level.gain) code.gain.push_back(rounded(*level.gain));
        }
        const auto table = float32_codebook(tree);
        code.codebook = table ? *table : float32_codebook(depth);
        return code;
    });
}

NestedCode code_of(const Codebook<float>& codebook) {
    return until_rounded([&codebook](Bits accuracy) {
        NestedCode code{codebook, {}, {}};
        const std::vector<Interval> distortion = true_distortion(codebook, accuracy);
        for (std::size_t t = 0; t < distortion.size(); ++t) {
            code.distortion.push_back(rounded(distortion[t]));
            if (t > 0) code.gain.push_back(rounded(sub(distortion[t - 1], distortion[t], accuracy)));
        }
        return code;
    });
}

} // namespace kvproof
