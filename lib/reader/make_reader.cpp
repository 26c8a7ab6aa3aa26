#include "lib/account/system.hpp"
#include "lib/reader/aatc.hpp"
#include "lib/reader/dense.hpp"
#include "lib/reader/kivi.hpp"
#include "lib/reader/kvquant.hpp"
#include "lib/reader/lloyd2.hpp"
#include "lib/reader/prefix_reader.hpp"
#include "lib/reader/protected_reader.hpp"
#include "lib/reader/sparq.hpp"
#include "lib/reader/turboquant.hpp"

#include <algorithm>
#include <limits>

namespace kvproof {
namespace {

using Made = std::unique_ptr<Reader>;

/// ReadKV's family: the stored depth, and what chooses the prefixes.
Made prefix_reader(const System& system, PolicyOf policy) {
    return std::make_unique<PrefixReader>(system.name, static_cast<int>(system.stored), std::move(policy));
}

Made adaptive_reader(const System& system) {
    const Rates rates{system.key_rate, system.value_rate};
    return prefix_reader(system,
                         [rates](const LayerInput&, const ReaderSettings& settings, const NestedCode& code) {
                             return adaptive_policy(rates, code.gain, settings.pool == Pool::head);
                         });
}

Made fixed_reader(const System& system) {
    const auto depth = static_cast<unsigned>(system.stored);
    return prefix_reader(system, [depth](const LayerInput&, const ReaderSettings&, const NestedCode&) {
        return fixed_policy(depth);
    });
}

Made calibrated_reader(const System& system) {
    const Rates rates{system.key_rate, system.value_rate};
    return prefix_reader(
        system, [rates](const LayerInput& input, const ReaderSettings& settings, const NestedCode& code) {
            return policy_from_calibration(input, settings, code, rates);
        });
}

Made two_level_reader(const System& system) {
    const Rates rates{system.key_rate, system.value_rate};
    const auto low = static_cast<unsigned>(system.low);
    const TwoLevelScope scope = !system.two_level_values ? TwoLevelScope::keys
                                : !system.two_level_keys ? TwoLevelScope::values
                                                         : TwoLevelScope::both;
    return prefix_reader(
        system, [rates, low, scope](const LayerInput&, const ReaderSettings&, const NestedCode& code) {
            return two_level_policy(low, rates, code.gain, scope);
        });
}

Made restricted_reader(const System& system) {
    const Rational rate = system.key_rate;
    return prefix_reader(system, [rate](const LayerInput&, const ReaderSettings&, const NestedCode& code) {
        return restricted_policy(rate, code.gain);
    });
}

SparqOptions sparq_options(const System& system) {
    SparqOptions options;
    options.channels = static_cast<int>(system.channels);
    options.selected = static_cast<int>(std::min<long>(system.selected, std::numeric_limits<int>::max()));
    return options;
}

Made unprotected(const System& system) {
    switch (system.kind) {
    case System::Kind::dense: return dense_reader();
    case System::Kind::readkv: return adaptive_reader(system);
    case System::Kind::full:
    case System::Kind::uniform: return fixed_reader(system);
    case System::Kind::calibration: return calibrated_reader(system);
    case System::Kind::two_level: return two_level_reader(system);
    case System::Kind::readkv_gpu: return restricted_reader(system);
    case System::Kind::lloyd2: return lloyd2_reader();
    case System::Kind::kivi: return kivi_reader(static_cast<int>(system.stored));
    case System::Kind::turboquant: return turboquant_reader();
    case System::Kind::sparq: return sparq_reader(sparq_options(system));
    case System::Kind::sparq_nested: return sparq_nested_reader(sparq_options(system));
    case System::Kind::kvquant: return kvquant_reader(static_cast<int>(system.stored));
    case System::Kind::aatc:
    case System::Kind::aatc_var: break;
    }
    return aatc_reader({.bits = system.key_rate,
                        .weighted = system.kind == System::Kind::aatc,
                        .plain = system.plain,
                        .code = system.repaired ? TokenCode::repaired : TokenCode::printed,
                        .head_groups = static_cast<int>(system.groups)});
}

} // namespace

std::unique_ptr<Reader> make_reader(std::string_view name, int layers) {
    const System system = parse_system(name);
    Made reader = unprotected(system);
    return system.protect ? protected_reader(std::move(reader), layers) : std::move(reader);
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
            "kvquant:4",
            "aatc:2.5",
            "aatc:4",
            "aatc-var:2.5"};
}

} // namespace kvproof
