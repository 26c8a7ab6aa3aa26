#include "proofs/probe_risks.hpp"

#include "lib/error.hpp"
#include "sim/probe/minimax.hpp"

#include <optional>

namespace kvproof {
namespace {

std::optional<int> budget(const Rational& value) {
    if (denominator(value) != 1 || value < 0 || value > ProbeRisks::most_bits) return {};
    return static_cast<int>(numerator(value));
}

} // namespace

const Family& ProbeRisks::family(const std::string& name) {
    const auto known = families_.find(name);
    return known != families_.end() ? known->second
                                    : families_.emplace(name, make_family(name)).first->second;
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
    if (is_new) at->second = exhaustive_risk(family(family_name), access, *bits, *probes)->risk;
    return at->second;
}

} // namespace kvproof
