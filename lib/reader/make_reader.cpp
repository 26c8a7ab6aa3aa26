#include "lib/error.hpp"
#include "lib/reader/dense.hpp"
#include "lib/reader/kivi.hpp"
#include "lib/reader/kvquant.hpp"
#include "lib/reader/lloyd2.hpp"
#include "lib/reader/name.hpp"
#include "lib/reader/prefix_reader.hpp"
#include "lib/reader/protected_reader.hpp"
#include "lib/reader/sparq.hpp"
#include "lib/reader/turboquant.hpp"

#include <algorithm>
#include <functional>

namespace kvproof {
namespace {

using Made = std::unique_ptr<Reader>;

constexpr int deepest_stored = 8;

Made prefix_reader(const ReaderName& name, int stored, PolicyOf policy) {
    return std::make_unique<PrefixReader>(name.name(), stored, std::move(policy));
}

bool per_head(const ReaderSettings& settings) {
    return settings.pool == Pool::head;
}

/// W, and R for both stages or R_K, R_V, from argument `first` on. No rate exceeds W: there is no more to
/// read.
std::pair<int, Rates> rates_of(const ReaderName& name, std::size_t first, std::size_t end) {
    const int stored = name.integer(first, "W", 1, deepest_stored);
    const Rational keys = name.decimal(first + 1, "R", 0, stored);
    return {stored, {keys, end > first + 2 ? name.decimal(first + 2, "R", 0, stored) : keys}};
}

Made make_readkv(const ReaderName& name) {
    name.require_arguments(2, 3, ":W,R or :W,RK,RV");
    const auto [stored, rates] = rates_of(name, 0, name.arguments().size());
    return prefix_reader(
        name, stored,
        [rates = rates](const LayerInput&, const ReaderSettings& settings, const NestedCode& code) {
            return adaptive_policy(rates, code.gain, per_head(settings));
        });
}

Made make_fixed(const ReaderName& name) {
    const bool full = name.name() == "full";
    name.require_arguments(1, 1, full ? ":W" : ":R");
    const int depth = name.integer(0, full ? "W" : "R", 1, deepest_stored);
    return prefix_reader(name, depth, [depth](const LayerInput&, const ReaderSettings&, const NestedCode&) {
        return fixed_policy(static_cast<unsigned>(depth));
    });
}

Made make_calibration(const ReaderName& name) {
    name.require_arguments(3, 3, ":W,RK,RV");
    const auto [stored, rates] = rates_of(name, 0, 3);
    return prefix_reader(
        name, stored,
        [rates = rates](const LayerInput& input, const ReaderSettings& settings, const NestedCode& code) {
            return policy_from_calibration(input, settings, code, rates);
        });
}

Made make_two_level(const ReaderName& name) {
    name.require_arguments(4, 5, ":LOW,W,RK,RV[,keys|values|both]");
    const auto [stored, rates] = rates_of(name, 1, 4);
    const int low = name.integer(0, "LOW", 0, stored - 1);
    TwoLevelScope scope = TwoLevelScope::both;
    if (name.arguments().size() == 5) {
        const std::string& text = name.arguments()[4];
        if (text == "keys")
            scope = TwoLevelScope::keys;
        else if (text == "values")
            scope = TwoLevelScope::values;
        else if (text != "both")
            name.refuse("found \"" + text + "\" as the last argument, expected keys, values or both");
    }
    for (const Stage stage : {Stage::keys, Stage::values}) {
        const bool restricted =
            scope == TwoLevelScope::both || (scope == TwoLevelScope::keys) == (stage == Stage::keys);
        if (restricted && rates.of(stage) < low)
            name.refuse("found a rate below LOW = " + std::to_string(low) + ", expected at least LOW");
    }
    return prefix_reader(
        name, stored,
        [rates = rates, low, scope](const LayerInput&, const ReaderSettings&, const NestedCode& code) {
            return two_level_policy(static_cast<unsigned>(low), rates, code.gain, scope);
        });
}

Made make_restricted(const ReaderName& name) {
    name.require_arguments(2, 2, ":W,R");
    const int stored = name.integer(0, "W", 1, deepest_stored);
    const Rational rate = name.decimal(1, "R", 1, stored);
    return prefix_reader(name, stored,
                         [rate](const LayerInput&, const ReaderSettings&, const NestedCode& code) {
                             return restricted_policy(rate, code.gain);
                         });
}

Made make_kivi(const ReaderName& name) {
    name.require_arguments(1, 1, ":BITS");
    const int bits = name.integer(0, "BITS", 2, 4);
    if (bits == 3) name.refuse("found 3 bits, expected 2 or 4");
    return kivi_reader(bits);
}

SparqOptions sparq_options(const ReaderName& name) {
    name.require_arguments(2, 2, ":r,k");
    constexpr int most = 1 << 20;
    SparqOptions options;
    options.channels = name.integer(0, "r", 1, most);
    options.selected = name.integer(1, "k", 1, most);
    return options;
}

Made without_arguments(const ReaderName& name, Made (*make)()) {
    name.require_arguments(0, 0, "");
    return make();
}

Made make_kvquant(const ReaderName& name) {
    name.require_arguments(1, 1, ":BITS");
    return kvquant_reader(name.integer(0, "BITS", 1, 8));
}

struct Maker {
    std::string_view name;
    std::function<Made(const ReaderName&)> make;
};

const std::vector<Maker>& makers() {
    static const std::vector<Maker> all = {
        {"dense", [](const ReaderName& name) { return without_arguments(name, dense_reader); }},
        {"readkv", make_readkv},
        {"full", make_fixed},
        {"uniform", make_fixed},
        {"calibration", make_calibration},
        {"two-level", make_two_level},
        {"readkv-gpu", make_restricted},
        {"lloyd2", [](const ReaderName& name) { return without_arguments(name, lloyd2_reader); }},
        {"kivi", make_kivi},
        {"turboquant",
         [](const ReaderName& name) { return without_arguments(name, [] { return turboquant_reader(); }); }},
        {"sparq", [](const ReaderName& name) { return sparq_reader(sparq_options(name)); }},
        {"sparq-nested", [](const ReaderName& name) { return sparq_nested_reader(sparq_options(name)); }},
        {"kvquant", make_kvquant},
    };
    return all;
}

/// Systems of the other paper, whose machinery is not part of this version.
const std::vector<std::string_view> of_the_other_paper = {"aatc", "aatc-var", "palu", "kvtc"};

} // namespace

std::unique_ptr<Reader> make_reader(std::string_view text, int layers) {
    const ReaderName name(text);
    for (const Maker& maker : makers())
        if (maker.name == name.name()) {
            Made reader = maker.make(name);
            return name.protect() ? protected_reader(std::move(reader), layers) : std::move(reader);
        }
    for (const std::string_view other : of_the_other_paper)
        if (other == name.name()) name.refuse("found a system that this version does not implement");
    std::string known;
    for (const Maker& maker : makers()) (known += known.empty() ? "" : ", ") += maker.name;
    name.refuse("found no system of this name, expected one of " + known);
}

std::vector<std::string> default_readers(int dim) {
    const std::string sparse = ":" + std::to_string(std::max(1, dim / 4)) + ",128";
    return {"dense",
            "full:4",
            "readkv:4,2",
            "readkv:8,2",
            "readkv:8,4",
            "readkv-gpu:8,2",
            "readkv-gpu:8,4",
            "uniform:2",
            "calibration:8,2,2",
            "two-level:0,8,2,2",
            "two-level:1,8,2,2",
            "lloyd2",
            "kivi:2",
            "kivi:4",
            "turboquant",
            "sparq" + sparse,
            "sparq-nested" + sparse,
            "kvquant:2",
            "kvquant:4"};
}

} // namespace kvproof
