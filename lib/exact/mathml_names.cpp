#include "lib/exact/mathml.hpp"
#include "lib/exact/mathml_elements.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace kvproof {
namespace {

using namespace mathml;

// The letters that the two papers use, as UTF-8.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> greek = {
    {{"alpha", "\xCE\xB1"},   {"beta", "\xCE\xB2"},   {"gamma", "\xCE\xB3"}, {"delta", "\xCE\xB4"},
     {"epsilon", "\xCE\xB5"}, {"eps", "\xCE\xB5"},    {"eta", "\xCE\xB7"},   {"theta", "\xCE\xB8"},
     {"kappa", "\xCE\xBA"},   {"lambda", "\xCE\xBB"}, {"mu", "\xCE\xBC"},    {"nu", "\xCE\xBD"},
     {"xi", "\xCE\xBE"},      {"pi", "\xCF\x80"},     {"rho", "\xCF\x81"},   {"sigma", "\xCF\x83"},
     {"tau", "\xCF\x84"},     {"phi", "\xCF\x86"},    {"psi", "\xCF\x88"},   {"omega", "\xCF\x89"},
     {"Delta", "\xCE\x94"},   {"Sigma", "\xCE\xA3"}}};

bool all_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// A name without an index.
std::string stem(std::string_view name) {
    const auto* const letter =
        std::ranges::find(greek, name, &std::pair<std::string_view, std::string_view>::first);
    if (letter != greek.end()) return identifier(letter->second);
    return name.size() == 1 ? identifier(name) : upright(name);
}

std::string variable(std::string_view name) {
    if (const std::size_t at = name.find('_'); at != std::string_view::npos && at > 0 && at + 1 < name.size())
        return subscript(stem(name.substr(0, at)), words(name.substr(at + 1)));
    const std::size_t letters = std::min(name.find_first_of("0123456789"), name.size());
    if (letters > 0 && letters < name.size() && all_digits(name.substr(letters)))
        return subscript(stem(name.substr(0, letters)), number(name.substr(letters)));
    return stem(name);
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('.', at), text.size());
        out.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

/// What stands above the letter says which table is meant; the exact tree needs no mark.
std::string mark_of(std::string_view table) {
    if (table == "lloyd") return "";
    if (table == "lloydmax") return operation("*");
    return words(table == "codebook" ? "table" : table);
}

std::string indexed(const std::string& letter, const std::string& index, std::string_view table) {
    const std::string mark = mark_of(table);
    return mark.empty() ? subscript(letter, index) : element("msubsup", letter + index + mark);
}

std::string at(const std::string& letter, const std::string& argument) {
    return row(letter + operation("(") + argument + operation(")"));
}

/// An index or an argument, as the quantity's name has it: "-1" too.
std::string whole(std::string_view text) {
    if (!text.starts_with('-')) return number(text);
    return row(operation("\xE2\x88\x92") + number(text.substr(1)));
}

/// Certified quantities of docs/formulas.md; any other name stands as it is.
std::string quantity(const std::string& name) {
    const auto parts = split(name);
    const std::string_view table = parts[0];
    const bool known = table == "lloyd" || table == "lloydmax" || table == "float32" || table == "codebook";
    if (!known || parts.size() < 3 || parts.size() > 4) return words(name);
    const std::string_view what = parts[1];
    const std::string index = whole(parts[2]);
    if (parts.size() == 3) {
        const std::string mark = mark_of(table);
        const std::string letter = identifier("D");
        if (what == "distortion") return at(mark.empty() ? letter : superscript(letter, mark), index);
        if (what == "gain") return indexed(stem("Delta"), index, table);
        if (what == "epsilon") return indexed(stem("epsilon"), index, table);
        return words(name);
    }
    const std::string second = whole(parts[3]);
    if (what == "value") return at(indexed(identifier("Q"), index, table), second);
    const std::string both = row(index + operation(",") + second);
    if (what == "boundary") return indexed(identifier("b"), both, table);
    if (what == "centroid") return indexed(identifier("c"), both, table);
    return words(name);
}

} // namespace

std::string name_to_mathml(const std::string& name) {
    return name.find('.') == std::string::npos ? variable(name) : quantity(name);
}

} // namespace kvproof
