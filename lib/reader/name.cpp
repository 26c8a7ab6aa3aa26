#include "lib/reader/name.hpp"

#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <algorithm>
#include <charconv>

namespace kvproof {
namespace {

// Not isdigit and islower: they ask the locale.
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-';
}
bool is_argument_character(char c) {
    return is_name_character(c) || c == '.';
}

/// Digits with at most one point among or around them.
bool is_decimal(std::string_view text) {
    constexpr std::size_t longest = 20;
    return text.size() <= longest && std::ranges::any_of(text, is_digit) &&
           std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '.'; }) &&
           std::ranges::count(text, '.') <= 1;
}

} // namespace

ReaderName::ReaderName(std::string_view text) : whole_(text) {
    constexpr std::string_view suffix = "+protect";
    protect_ = text.ends_with(suffix);
    if (protect_) text.remove_suffix(suffix.size());
    const std::size_t colon = text.find(':');
    name_ = text.substr(0, colon);
    if (name_.empty() || !std::ranges::all_of(name_, is_name_character))
        refuse("found the name " + in_quotes(name_) +
               ", expected NAME, NAME:ARG,ARG... or either with +protect");
    while (colon != std::string_view::npos) {
        if (arguments_.empty()) text.remove_prefix(colon + 1);
        const std::size_t comma = text.find(',');
        arguments_.emplace_back(text.substr(0, comma));
        if (arguments_.back().empty() || !std::ranges::all_of(arguments_.back(), is_argument_character))
            refuse("found the argument " + in_quotes(arguments_.back()) + ", expected a number or a word");
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
}

void ReaderName::refuse(const std::string& sentence) const {
    throw Error(ErrorCode::bad_option, "reader " + in_quotes(whole_) + ": " + sentence);
}

void ReaderName::require_arguments(std::size_t fewest, std::size_t most, std::string_view shape) const {
    if (arguments_.size() >= fewest && arguments_.size() <= most) return;
    refuse("found " + std::to_string(arguments_.size()) + " arguments, expected " + name_ +
           std::string(shape));
}

const std::string& ReaderName::argument(std::size_t i, std::string_view what) const {
    if (i >= arguments_.size()) refuse("found no " + std::string(what) + ", expected it");
    return arguments_[i];
}

int ReaderName::integer(std::size_t i, std::string_view what, int least, int most) const {
    const std::string& text = argument(i, what);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || !is_digit(text.front()) || value < least || value > most)
        refuse("found " + std::string(what) + " = " + in_quotes(text) + ", expected an integer from " +
               std::to_string(least) + " to " + std::to_string(most));
    return value;
}

Rational ReaderName::decimal(std::size_t i, std::string_view what, const Rational& least,
                             const Rational& most) const {
    const std::string& text = argument(i, what);
    const auto expected = [&] {
        refuse("found " + std::string(what) + " = " + in_quotes(text) + ", expected a decimal from " +
               to_string(least) + " to " + to_string(most));
    };
    if (!is_decimal(text)) expected();
    Rational value = parse_rational(text);
    if (value < least || value > most) expected();
    return value;
}

} // namespace kvproof
