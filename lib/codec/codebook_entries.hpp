#pragma once

#include <cstddef>
#include <string>

namespace kvproof {

/// What the readers of codebook files share: how entries are named in error lines, and what is refused
/// before anything is allocated for it.

inline constexpr std::size_t deepest_codebook = 12;

/// "boundaries.3[5]", in every format.
[[nodiscard]] std::string entry_name(const char* list, std::size_t t, std::size_t i);

/// Throws Error(bad_file_format) with the line "where: what".
[[noreturn]] void refuse_format(const std::string& where, const std::string& what);
/// Throws Error(bad_codebook) with the line "where: what".
[[noreturn]] void refuse_codebook(const std::string& where, const std::string& what);

/// Throws Error(bad_codebook) unless there are the levels 0..W of a depth W from 1 to 12.
void require_level_count(const std::string& source, std::size_t levels);

/// Throws Error(bad_codebook) unless a level has as many entries as its depth says.
void require_entry_count(const std::string& source, const char* list, std::size_t t, std::size_t found,
                         std::size_t expected);

/// The value, with -0 as 0: entries are numbers, and no decimal tells the zeros apart. Throws
/// Error(bad_codebook) on NaN and infinities.
[[nodiscard]] float finite_entry(float value, const std::string& source, const char* list, std::size_t t,
                                 std::size_t i);

} // namespace kvproof
