#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// Every way in which input can be refused. docs/errors.md is generated from this list; see error.cpp.
enum class ErrorCode {
    bad_number,
    number_too_large,
    bad_formula,
    unknown_quantity,
    bad_registry,
    unknown_claim,
    bad_codebook,
    bad_file_format,
    bad_capture,
    file_not_readable,
    file_not_writable,
    bad_option,
    bad_weight,
    depth_out_of_range,
    precision_exhausted,
    internal,
    no_device,
};

/// The one exception type of the project: a code for programs and one line for people. The line names the
/// input (file, key), what was found and what was expected.
class Error : public std::exception {
public:
    Error(ErrorCode code, std::string line);

    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    [[nodiscard]] const char* what() const noexcept override { return line_.c_str(); }

private:
    ErrorCode code_;
    std::string line_;
};

struct ErrorEntry {
    ErrorCode code;
    std::string_view name;
    std::string_view sentence;
    int exit_status;
};

/// All codes in order, each with its name, the sentence that explains it and the exit status it leads to.
[[nodiscard]] const std::vector<ErrorEntry>& error_entries();

/// The entry of one code.
[[nodiscard]] const ErrorEntry& error_entry(ErrorCode code);

} // namespace kvproof
