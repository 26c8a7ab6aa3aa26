#include "lib/record/npy_header.hpp"

#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <charconv>
#include <set>

namespace kvproof {
namespace {

/// A cursor over the dictionary. Only the literals that numpy writes for plain arrays are known to it.
class Dictionary {
public:
    Dictionary(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    NpyView read() {
        NpyView out;
        std::set<std::string> seen;
        require('{');
        while (!take('}')) {
            const std::string key = string("a key in quotes");
            if (!seen.insert(key).second) refuse("found the key " + in_quotes(key) + " twice");
            require(':');
            if (key == "descr")
                out.dtype = string("descr: a plain dtype such as '<f4'");
            else if (key == "fortran_order")
                out.fortran_order = boolean();
            else if (key == "shape")
                out.shape = tuple();
            else
                refuse("found the key " + in_quotes(key) + ", expected descr, fortran_order and shape");
            if (!take(',') && peek() != '}') refuse_here("\",\" or \"}\"");
        }
        skip_space();
        if (at_ != text_.size()) refuse_here("nothing after the dictionary");
        for (const char* key : {"descr", "fortran_order", "shape"})
            if (!seen.contains(key)) refuse("found no key " + in_quotes(key));
        return out;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(ErrorCode::bad_file_format, source_ + ": header: " + what);
    }
    [[noreturn]] void refuse_here(const std::string& expected) const {
        const std::string_view rest = text_.substr(at_);
        refuse("found " + (rest.empty() ? std::string("its end") : in_quotes(rest.substr(0, 20))) +
               ", expected " + expected);
    }
    void skip_space() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    }
    char peek() {
        skip_space();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c || at_ == text_.size()) return false;
        ++at_;
        return true;
    }
    void require(char c) {
        if (!take(c)) refuse_here(in_quotes(std::string_view(&c, 1)));
    }
    bool take_word(std::string_view word) {
        skip_space();
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    std::string string(const char* expected) {
        const char quote = peek();
        if (quote != '\'' && quote != '"') refuse_here(expected);
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) refuse_here(expected);
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return std::string(inside);
    }
    bool boolean() {
        if (take_word("True")) return true;
        if (!take_word("False")) refuse_here("fortran_order: True or False");
        return false;
    }
    std::uint64_t whole_number() {
        skip_space();
        std::uint64_t number = 0;
        const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
        if (status != std::errc()) refuse_here("shape: whole numbers from 0 below 2^64");
        at_ = static_cast<std::size_t>(end - text_.data());
        return number;
    }
    /// (), (3,), (3, 4) or (3, 4,). Python takes (3) for the number 3, and so it is no shape.
    Shape tuple() {
        Shape sides;
        require('(');
        bool comma = true;
        while (!take(')')) {
            if (!comma || sides.size() == highest_rank) refuse_here("shape: \")\"");
            sides.push_back(whole_number());
            comma = take(',');
        }
        if (sides.size() == 1 && !comma)
            refuse("found a shape without a comma, expected a tuple such as (3,)");
        return sides;
    }

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
};

} // namespace

NpyView read_npy_dictionary(std::string_view text, const std::string& source) {
    return Dictionary(text, source).read();
}

} // namespace kvproof
