#pragma once

#include "sim/probe/access_class.hpp"
#include "sim/probe/family.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace kvproof {

/// Risks in the probe model that formulas speak of, each computed once.
class ProbeRisks {
public:
    static constexpr long most_bits = 16;

    /// The value of (probe.FAMILY.CLASS w r): the deterministic minimax risk by exhaustive search. Nothing
    /// unless w and r are integers from 0 to most_bits. Throws Error(bad_option) for an unknown family or
    /// class, Error(unknown_quantity) for a name that is not of this form.
    [[nodiscard]] std::optional<Rational> risk(const std::string& name,
                                               const std::vector<Rational>& arguments);

private:
    struct World {
        Family family;
        std::vector<std::vector<int>> symmetries;
    };
    [[nodiscard]] const World& world(const std::string& family_name);

    std::map<std::string, World> worlds_;
    std::map<std::tuple<std::string, std::string, long, long>, Rational> risks_;
};

} // namespace kvproof
