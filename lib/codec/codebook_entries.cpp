#include "lib/codec/codebook_entries.hpp"

#include "lib/error.hpp"

#include <cmath>

namespace kvproof {

std::string entry_name(const char* list, std::size_t t, std::size_t i) {
    return std::string(list) + "." + std::to_string(t) + "[" + std::to_string(i) + "]";
}

void refuse_format(const std::string& where, const std::string& what) {
    throw Error(ErrorCode::bad_file_format, where + ": " + what);
}

void refuse_codebook(const std::string& where, const std::string& what) {
    throw Error(ErrorCode::bad_codebook, where + ": " + what);
}

void require_level_count(const std::string& source, std::size_t levels) {
    if (levels < 2 || levels > deepest_codebook + 1)
        refuse_codebook(source, "found " + std::to_string(levels) +
                                    " levels, expected depths 0..W with W from 1 to " +
                                    std::to_string(deepest_codebook));
}

void require_entry_count(const std::string& source, const char* list, std::size_t t, std::size_t found,
                         std::size_t expected) {
    if (found != expected)
        refuse_codebook(source, std::string(list) + "." + std::to_string(t) + ": found " +
                                    std::to_string(found) + " entries, expected " + std::to_string(expected));
}

float finite_entry(float value, const std::string& source, const char* list, std::size_t t, std::size_t i) {
    if (!std::isfinite(value))
        refuse_codebook(source + ": " + entry_name(list, t, i),
                        "found NaN or infinity, expected a finite number");
    return value + 0.0F; // -0 + 0 is 0 in round to nearest
}

} // namespace kvproof
