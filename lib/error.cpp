#include "lib/error.hpp"

#include <algorithm>
#include <utility>

namespace kvproof {

Error::Error(ErrorCode code, std::string line) : code_(code), line_(std::move(line)) {}

const std::vector<ErrorEntry>& error_entries() {
    using enum ErrorCode;
    static const std::vector<ErrorEntry> entries = {
        {bad_number, "bad_number", "A number could not be read: decimals, p/q and hex floats are accepted.",
         2},
        {number_too_large, "number_too_large",
         "A number has an exponent or a length far outside what any input needs; it is refused before memory "
         "is "
         "spent on it.",
         2},
        {bad_formula, "bad_formula", "A formula of the registry does not follow its grammar.", 2},
        {unknown_quantity, "unknown_quantity", "A formula names a quantity that nothing certifies.", 2},
        {bad_registry, "bad_registry",
         "The claim registry is malformed: a row lacks a column or repeats an id.", 2},
        {unknown_claim, "unknown_claim", "No claim has this id, and no id matches this pattern.", 2},
        {bad_codebook, "bad_codebook",
         "A codebook is not a nested binary quantiser: counts, order, nesting and finiteness are checked.",
         2},
        {bad_file_format, "bad_file_format",
         "A file is not what its name says: header, length or type is wrong.", 2},
        {bad_capture, "bad_capture",
         "The tensors of a capture are no attention: a name, dtype, shape or value is not as expected.", 2},
        {file_not_readable, "file_not_readable", "A file is missing or cannot be read.", 2},
        {file_not_writable, "file_not_writable",
         "A file or folder cannot be written; what was there is untouched.", 2},
        {bad_option, "bad_option", "An option has a value that the command does not take.", 2},
        {bad_weight, "bad_weight",
         "An allocation is given a weight or a gain that is NaN, infinite or negative, or that overflows.",
         2},
        {depth_out_of_range, "depth_out_of_range", "A depth of the Lloyd tree lies between 0 and 12.", 2},
        {precision_exhausted, "precision_exhausted",
         "The precision budget ended before an enclosure was narrow enough for what was asked.", 3},
        {internal, "internal", "An internal check failed: a defect of this program, worth reporting.", 3},
        {no_device, "no_device",
         "A device is asked for, and there is none, or the program has no code for one.", 4},
    };
    return entries;
}

const ErrorEntry& error_entry(ErrorCode code) {
    const auto& entries = error_entries();
    return *std::ranges::find(entries, code, &ErrorEntry::code);
}

} // namespace kvproof
