#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kvcheck {

/// Why a certificate is invalid: a line, counted from 1, and a code of docs/certificates.md.
struct Invalid {
    std::size_t line;
    const char* code;
};

/// The lines of a certificate, one after another. The text ends with a newline.
class Records {
public:
    explicit Records(std::string_view text);

    [[nodiscard]] std::size_t last() const { return last_; } ///< the number of the last line
    [[nodiscard]] std::size_t line() const { return line_; } ///< the number of the line read last
    [[nodiscard]] std::string_view next_line();              ///< reads it; throws bad_record after the last
    [[nodiscard]] std::string_view peek() const;             ///< the next line, unread
    /// Reads a line that consists of the name and so many fields, and returns these.
    [[nodiscard]] std::vector<std::string_view> take(std::string_view name, std::size_t fields);
    /// The fields, one or more, of a line that begins with the name.
    [[nodiscard]] std::vector<std::string_view> take_any(std::string_view name);
    /// The line read last is malformed.
    [[noreturn]] void bad() const { throw Invalid{line_, "bad_record"}; }
    /// What was read is well formed, but does not prove what it is there for.
    [[noreturn]] void bad_witness() const { throw Invalid{line_, "bad_witness"}; }
    /// Nothing but the last line may follow.
    void finish();

private:
    std::string_view rest_;
    std::size_t line_ = 0, last_ = 0;
};

} // namespace kvcheck
