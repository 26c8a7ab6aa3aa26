#pragma once

#include "lib/exact/rational.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// A reader's name taken apart: "readkv:8,3.5,1+protect" is readkv with the arguments 8, 3.5 and 1. Errors
/// about it quote the name as it was given.
class ReaderName {
public:
    /// NAME, NAME:ARG,ARG... or either with +protect after it: NAME in a-z, 0-9 and -, arguments not empty
    /// and of a-z, 0-9, - and points. Throws Error(bad_option) otherwise.
    explicit ReaderName(std::string_view text);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }
    [[nodiscard]] bool protect() const { return protect_; }

    /// Throws Error(bad_option) unless there are so many arguments; `shape` is what is expected, ":r,k".
    void require_arguments(std::size_t fewest, std::size_t most, std::string_view shape) const;
    /// Argument i as an integer in decimal digits; `what` names it ("W"). Throws Error(bad_option) where it
    /// is none or out of range.
    [[nodiscard]] int integer(std::size_t i, std::string_view what, int least, int most) const;
    /// Argument i, a plain decimal ("2", "3.25", ".5") of at most 20 characters, exactly. Throws likewise.
    [[nodiscard]] Rational decimal(std::size_t i, std::string_view what, const Rational& least,
                                   const Rational& most) const;
    /// Throws Error(bad_option): reader "NAME": `sentence`.
    [[noreturn]] void refuse(const std::string& sentence) const;

private:
    [[nodiscard]] const std::string& argument(std::size_t i, std::string_view what) const;

    std::string whole_;
    std::string name_;
    std::vector<std::string> arguments_;
    bool protect_ = false;
};

} // namespace kvproof
