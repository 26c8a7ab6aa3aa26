#pragma once

#include "lib/codec/codebook.hpp"
#include "lib/codec/lloyd_max.hpp"
#include "lib/codec/lloyd_tree.hpp"
#include "lib/codec/nested_code.hpp"
#include "lib/codec/pointwise_error.hpp"
#include "lib/exact/evaluate.hpp"
#include "proofs/functions.hpp"

#include <map>
#include <memory>
#include <mutex>

namespace kvproof {

/// The named quantities of the registry's formulas (docs/formulas.md):
///
///   lloyd.distortion.T  lloyd.gain.T  lloyd.epsilon.T     of the exact Lloyd tree, as enclosures
///   lloyd.boundary.T.J  lloyd.centroid.T.J                J counts from 0 in ascending order
///   lloyd.value.T.U                                       Q_T(U) for an integer U, e.g. lloyd.value.2.-1
///   lloydmax.distortion.T                                 the optimal quantiser of 2^T levels
///   float32.gain.T                                        the true gain rounded once to binary32
///   float32.epsilon.T  float32.boundary.T.J  float32.centroid.T.J  float32.value.T.U
///                                                         of the stored table: exact rationals
///   codebook.distortion.T  codebook.gain.T                true distortion of the stored table as a quantiser
///
/// and the functions of rationals, (greedy ...) and so on, with the risks (probe.FAMILY.CLASS w r).
///
/// float32.* and codebook.* speak of the built-in table, or of a user's file where one is given; then
/// float32.gain.T is the file's own true gain, rounded once. Results are cached; calls are safe from several
/// threads.
class CertifiedQuantities final : public Quantities {
public:
    /// With the tree's own binary32 table.
    CertifiedQuantities();
    /// With a user's table, already validated.
    explicit CertifiedQuantities(Codebook<float> table);

    [[nodiscard]] Interval enclose(const std::string& text, Bits bits) const override;
    [[nodiscard]] std::optional<Rational> exact(const std::string& text) const override;

    [[nodiscard]] Interval enclose_function(const std::string& name, const std::vector<Rational>& arguments,
                                            Bits bits) const override;
    [[nodiscard]] std::optional<Rational>
    exact_function(const std::string& name, const std::vector<Rational>& arguments) const override;

    /// For an epsilon: where the supremum lies and whether it is attained; empty for other quantities.
    [[nodiscard]] std::string where_attained(const std::string& text, Bits bits) const;

    /// Whether the quantity belongs to the stored table, and so to a user's file where one is given.
    [[nodiscard]] static bool is_of_table(const std::string& name);

    [[nodiscard]] bool has_user_table() const { return user_table_; }
    /// The stored table: the built-in one to depth 8, or the user's.
    [[nodiscard]] const Codebook<float>& table() const;
    /// The code that a reader stores with: the deployed one, or the user's table with its true distortions.
    [[nodiscard]] const NestedCode& code() const;
    /// The exact tree, to this depth or deeper, at this accuracy or better.
    [[nodiscard]] std::shared_ptr<const LloydTree> tree(int depth, Bits accuracy) const;
    /// The optimal quantiser of 2^t levels, 1 <= t <= 10.
    [[nodiscard]] std::shared_ptr<const LloydMax> optimum(int t, Bits accuracy) const;

private:
    [[nodiscard]] std::optional<FunctionValue> function(const std::string& name,
                                                        const std::vector<Rational>& arguments) const;
    [[nodiscard]] const PointwiseError<Interval>& tree_error(int t, Bits accuracy) const;

    struct Cache;
    bool user_table_ = false;
    std::shared_ptr<Cache> cache_; // shared by copies; holds what has been computed
};

} // namespace kvproof
