#include "proofs/probe_risks.hpp"

#include "lib/error.hpp"
#include "sim/probe/minimax.hpp"
#include "sim/probe/symmetry.hpp"

#include <optional>

namespace kvproof {
namespace {

std::optional<int> budget(const Rational& value) {
    if (denominator(value) != 1 || value < 0 || value > ProbeRisks::most_bits) return {};
    return static_cast<int>(numerator(value));
}

} // namespace

const ProbeRisks::World& ProbeRisks::world(const std::string& family_name) {
    const auto known = worlds_.find(family_name);
    if (known != worlds_.end()) return known->second;
    Family family = make_family(family_name);
    auto symmetries = source_symmetries(family);
    return worlds_.emplace(family_name, World{std::move(family), std::move(symmetries)}).first->second;
}

std::optional<Rational> ProbeRisks::risk(const std::string& name, const std::vector<Rational>& arguments) {
    const std::size_t begin = name.find('.') + 1;
    const std::size_t dot = name.find('.', begin);
    if (dot == std::string::npos || arguments.size() != 2)
        throw Error(ErrorCode::unknown_quantity, name + ": expected (probe.FAMILY.CLASS w r)");
    const auto bits = budget(arguments[0]);
    const auto probes = budget(arguments[1]);
    if (!bits || !probes) return {};
    const std::string family_name = name.substr(begin, dot - begin);
    const AccessClass access = parse_access_class(name.substr(dot + 1));
    const auto [at, is_new] = risks_.try_emplace({family_name, to_string(access), *bits, *probes});
    if (is_new) {
        const World& known = world(family_name);
        at->second = exhaustive_risk(known.family, access, *bits, *probes, known.symmetries)->risk;
    }
    return at->second;
}

} // namespace kvproof
