#include "lib/error.hpp"
#include "lib/record/quote.hpp"
#include "sim/montecarlo/experiment.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kvproof {
namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::bad_option, "--set: " + what);
}

std::string shortest(double value) {
    char text[32];
    const auto [end, failure] = std::to_chars(text, text + sizeof text, value);
    if (failure != std::errc()) throw Error(ErrorCode::internal, "a number of more than 32 characters");
    return {text, end};
}

std::string expected(const Parameter& parameter) {
    if (parameter.choices.empty())
        return std::string(parameter.whole ? "a whole number" : "a number") + " from " +
               shortest(parameter.least) + " to " + shortest(parameter.greatest);
    std::string out = "one of";
    for (const std::string& choice : parameter.choices) out += " " + choice;
    return out;
}

std::string checked(const Parameter& parameter, const std::string& text) {
    const auto wrong = [&] {
        refuse(parameter.name + ": found " + in_quotes(text) + ", expected " + expected(parameter));
    };
    if (!parameter.choices.empty()) {
        if (std::ranges::find(parameter.choices, text) == parameter.choices.end()) wrong();
        return text;
    }
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || stopped != end) wrong();
    if (!(parameter.least <= value && value <= parameter.greatest)) wrong();
    if (parameter.whole && value != std::floor(value)) wrong();
    return shortest(value);
}

} // namespace

double ExperimentInputs::number(std::size_t parameter) const {
    double value = 0;
    const std::string& text = values.at(parameter);
    std::from_chars(text.data(), text.data() + text.size(), value); // checked when it was set
    return value;
}

std::size_t ExperimentInputs::whole(std::size_t parameter) const {
    return static_cast<std::size_t>(number(parameter));
}

std::vector<std::string> parameter_values(const ExperimentRow& row,
                                          const std::vector<std::string>& settings) {
    std::vector<std::string> out;
    for (const Parameter& parameter : row.parameters) out.push_back(checked(parameter, parameter.preset));
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos) refuse("found " + in_quotes(setting) + ", expected NAME=VALUE");
        const auto at = std::ranges::find(row.parameters, setting.substr(0, equals), &Parameter::name);
        if (at == row.parameters.end()) {
            std::string names;
            for (const Parameter& parameter : row.parameters) names += " " + parameter.name;
            refuse("found " + in_quotes(setting.substr(0, equals)) + ", expected a parameter of " + row.name +
                   ":" + (names.empty() ? " it has none" : names));
        }
        out[static_cast<std::size_t>(at - row.parameters.begin())] = checked(*at, setting.substr(equals + 1));
    }
    return out;
}

} // namespace kvproof
