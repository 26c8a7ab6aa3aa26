#include "lib/account/system.hpp"

#include "lib/account/words.hpp"
#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <algorithm>
#include <array>

namespace kvproof {
namespace {

constexpr long deepest = 8;           // the code's depth; a smaller W is a cut of it
constexpr long most_latent_bits = 16; // AATC's b_max
constexpr long most_groups = 4096;
constexpr long most_selected = 1'000'000'000;
constexpr long most_channels = 4096;
constexpr std::size_t longest_rate = 20;

/// A name taken apart: "sparq:32,128+protect" is sparq, its parameters and the suffix.
struct Spelling {
    std::string_view whole;
    std::string_view family;
    std::vector<std::string_view> parameters;
    bool protect = false;
};

struct Form {
    std::string_view family;
    System::Kind kind;
    std::string_view shape; ///< the parameters as an error line shows them
    std::size_t fewest;
    std::size_t most;
};

constexpr std::array forms = {
    Form{"dense", System::Kind::dense, "", 0, 0},
    Form{"readkv", System::Kind::readkv, ":W,R or :W,RK,RV", 2, 3},
    Form{"full", System::Kind::full, ":W", 1, 1},
    Form{"uniform", System::Kind::uniform, ":R", 1, 1},
    Form{"calibration", System::Kind::calibration, ":W,RK,RV", 3, 3},
    Form{"two-level", System::Kind::two_level, ":LOW,W,RK,RV[,keys|values|both]", 4, 5},
    Form{"readkv-gpu", System::Kind::readkv_gpu, ":W,R", 2, 2},
    Form{"lloyd2", System::Kind::lloyd2, "", 0, 0},
    Form{"kivi", System::Kind::kivi, ":BITS", 1, 1},
    Form{"turboquant", System::Kind::turboquant, "", 0, 0},
    Form{"sparq", System::Kind::sparq, ":r,k", 2, 2},
    Form{"sparq-nested", System::Kind::sparq_nested, ":r,k", 2, 2},
    Form{"kvquant", System::Kind::kvquant, ":BITS", 1, 1},
    Form{"aatc", System::Kind::aatc, ":BITS[,plain][,repaired][,groups=N]", 1, 4},
    Form{"aatc-var", System::Kind::aatc_var, ":BITS[,plain][,repaired][,groups=N]", 1, 4},
};

/// Systems whose bits depend on the data: nothing to account without a capture.
constexpr std::array<std::string_view, 2> without_closed_form = {"palu", "kvtc"};

[[noreturn]] void refuse(const Spelling& spelling, const std::string& what) {
    throw Error(ErrorCode::bad_option, "system " + in_quotes(spelling.whole) + ": " + what);
}

Spelling take_apart(std::string_view text) {
    constexpr std::string_view suffix = "+protect";
    Spelling out{text, text, {}, text.ends_with(suffix)};
    if (out.protect) out.family.remove_suffix(suffix.size());
    const std::size_t colon = out.family.find(':');
    if (colon == std::string_view::npos) return out;
    out.parameters = split_words(out.family.substr(colon + 1), ',');
    out.family = out.family.substr(0, colon);
    return out;
}

const Form& form_of(const Spelling& spelling) {
    if (std::ranges::count(without_closed_form, spelling.family) != 0)
        refuse(spelling, "its bits depend on the data; expected a system with a closed form");
    const auto form = std::ranges::find(forms, spelling.family, &Form::family);
    if (form == forms.end()) {
        std::string names;
        for (const Form& known : forms) names += (names.empty() ? "" : ", ") + std::string(known.family);
        refuse(spelling, "no such system; expected one of " + names);
    }
    const std::size_t count = spelling.parameters.size();
    if (count < form->fewest || count > form->most)
        refuse(spelling, "found " + std::to_string(count) + " parameters, expected " +
                             std::string(form->family) + std::string(form->shape));
    return *form;
}

/// Reads the parameters in order; what is wrong with one names the system.
class Parameters {
public:
    explicit Parameters(const Spelling& spelling) : spelling_(spelling) {}

    long whole(long lower, long upper, const std::string& what) {
        return parse_whole(next(), lower, upper, "system " + in_quotes(spelling_.whole) + ": " + what);
    }

    /// A decimal, digits with at most one point between them: what it denotes, exactly.
    Rational rate(long lower, long upper, const std::string& what) {
        const std::string_view text = next();
        const auto digits = [](std::string_view part) {
            return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
        };
        const std::vector<std::string_view> halves = split_words(text, '.');
        const bool decimal =
            text.size() <= longest_rate && halves.size() <= 2 && std::ranges::all_of(halves, digits);
        Rational value = decimal ? parse_rational(text) : Rational(-1);
        if (value < lower || value > upper)
            refuse(spelling_, what + ": found " + in_quotes(text) + ", expected a decimal from " +
                                  std::to_string(lower) + " to " + std::to_string(upper));
        return value;
    }

    std::string_view next() { return spelling_.parameters[at_++]; }
    [[nodiscard]] bool left() const { return at_ < spelling_.parameters.size(); }

private:
    const Spelling& spelling_;
    std::size_t at_ = 0;
};

void read_two_level(const Spelling& spelling, Parameters& parameters, System& system) {
    system.low = parameters.whole(0, deepest - 1, "LOW");
    system.stored = parameters.whole(system.low + 1, deepest, "W");
    // The bounds of the rates depend on the last word.
    const std::string_view stages = spelling.parameters.size() == 5 ? spelling.parameters[4] : "both";
    if (stages != "keys" && stages != "values" && stages != "both")
        refuse(spelling, "found " + in_quotes(stages) + ", expected keys, values or both");
    system.two_level_keys = stages != "values";
    system.two_level_values = stages != "keys";
    system.key_rate = parameters.rate(system.two_level_keys ? system.low : 0, system.stored, "RK");
    system.value_rate = parameters.rate(system.two_level_values ? system.low : 0, system.stored, "RV");
}

void read_aatc(const Spelling& spelling, Parameters& parameters, System& system) {
    constexpr std::string_view groups = "groups=";
    system.key_rate = system.value_rate = parameters.rate(0, most_latent_bits, "BITS");
    bool grouped = false;
    const auto once = [&](bool& seen, std::string_view word) {
        if (seen) refuse(spelling, "found " + in_quotes(word) + " twice");
        seen = true;
    };
    while (parameters.left()) {
        const std::string_view word = parameters.next();
        if (word == "plain") {
            once(system.plain, word);
        } else if (word == "repaired") {
            once(system.repaired, word);
        } else if (word.starts_with(groups)) {
            once(grouped, groups);
            system.groups = parse_whole(word.substr(groups.size()), 1, most_groups,
                                        "system " + in_quotes(spelling.whole) + ": groups");
        } else {
            refuse(spelling, "found " + in_quotes(word) + ", expected plain, repaired or groups=N");
        }
    }
}

void read_parameters(const Spelling& spelling, System& system) {
    Parameters parameters(spelling);
    switch (system.kind) {
    case System::Kind::dense: break;
    case System::Kind::readkv:
    case System::Kind::calibration:
        system.stored = parameters.whole(1, deepest, "W");
        system.key_rate = parameters.rate(0, system.stored, "RK");
        system.value_rate = parameters.left() ? parameters.rate(0, system.stored, "RV") : system.key_rate;
        break;
    case System::Kind::full:
    case System::Kind::uniform:
        system.stored = parameters.whole(1, deepest, system.kind == System::Kind::full ? "W" : "R");
        system.key_rate = system.value_rate = system.stored;
        break;
    case System::Kind::two_level: read_two_level(spelling, parameters, system); break;
    case System::Kind::readkv_gpu:
        system.stored = parameters.whole(1, deepest, "W");
        system.key_rate = system.value_rate = parameters.rate(1, system.stored, "R");
        break;
    case System::Kind::lloyd2: system.stored = 2; break;
    case System::Kind::kivi:
        system.stored = parameters.whole(2, 4, "BITS");
        if (system.stored == 3) refuse(spelling, "found 3 bits, expected 2 or 4");
        break;
    case System::Kind::turboquant: system.stored = 4; break;
    case System::Kind::sparq:
    case System::Kind::sparq_nested:
        if (system.kind == System::Kind::sparq_nested) system.stored = deepest;
        system.channels = parameters.whole(1, most_channels, "r");
        system.selected = parameters.whole(1, most_selected, "k");
        break;
    case System::Kind::kvquant: system.stored = parameters.whole(1, deepest, "BITS"); break;
    case System::Kind::aatc:
    case System::Kind::aatc_var: read_aatc(spelling, parameters, system); break;
    }
}

} // namespace

System parse_system(std::string_view text) {
    const Spelling spelling = take_apart(text);
    System system;
    system.kind = form_of(spelling).kind;
    system.name = std::string(text);
    system.protect = spelling.protect;
    read_parameters(spelling, system);
    return system;
}

const std::vector<std::string>& paper_systems() {
    static const std::vector<std::string> names = {
        "dense",
        "full:4",
        "readkv:4,2",
        "readkv:8,2",
        "readkv:8,4",
        "readkv:8,2+protect",
        "readkv:8,4+protect",
        "kivi:2",
        "kivi:4",
        "turboquant",
        "turboquant+protect",
        "lloyd2",
        "sparq:32,128",
        "sparq:16,64",
        "sparq:8,64",
        "sparq-nested:32,128",
        "uniform:2",
        "calibration:8,3,1",
        "two-level:1,8,3,1,keys",
        "readkv-gpu:8,2",
        "readkv-gpu:8,4",
    };
    return names;
}

} // namespace kvproof
