#pragma once

#include "formula.hpp"
#include "lloyd.hpp"

namespace kvcheck {

/// The certified quantities of docs/formulas.md, computed from the points of used certificates. A quantity
/// that is out of range, or that the enclosures do not determine, throws Undefined.
class Quantities {
public:
    /// With a user's table float32.* and codebook.* speak of that one.
    Quantities(std::shared_ptr<LloydTree> tree, std::shared_ptr<const LloydOptimum> optimum,
               std::shared_ptr<Table> table, std::shared_ptr<const ProbeRisks> risks = nullptr)
        : tree_(std::move(tree)), optimum_(std::move(optimum)), table_(std::move(table)),
          risks_(std::move(risks)) {}

    [[nodiscard]] const LloydTree* tree() const { return tree_.get(); }
    /// The value of a float32 quantity; nothing for the others.
    [[nodiscard]] std::optional<mpq_class> rational(const std::string& name) const;
    [[nodiscard]] Interval enclosure(const std::string& name, const Fixed& scale) const;
    /// What (probe.FAMILY.CLASS w r) is.
    [[nodiscard]] mpq_class risk(const std::string& name, const mpq_class& w, const mpq_class& r) const;

private:
    [[nodiscard]] const Level& level(const mpz_class& depth) const;
    [[nodiscard]] mpq_class rounded(const Interval& x) const;
    [[nodiscard]] Interval exact_tree(const Quantity& q) const;
    [[nodiscard]] unsigned table_bits() const;
    [[nodiscard]] const TableLevel& table(const mpz_class& depth) const;
    [[nodiscard]] mpq_class of_table(const Quantity& q) const;
    [[nodiscard]] Interval codebook(const Quantity& q) const;

    std::shared_ptr<LloydTree> tree_;
    std::shared_ptr<const LloydOptimum> optimum_;
    std::shared_ptr<Table> table_;
    std::shared_ptr<const ProbeRisks> risks_;
};

} // namespace kvcheck
