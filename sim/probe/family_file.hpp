#pragma once

#include "sim/probe/family.hpp"

#include <string>
#include <string_view>

namespace kvproof {

/// Reads {"scale": S, "sources": [names], "queries": [names], "targets": [[t, ...] for each source]}: t is a
/// rational as a string, or a list of m of them; S is 1 where it is missing. The family is named after its
/// table: "file:" and the SHA-256 of table_text. Throws Error(bad_file_format) that names `path` and the key.
[[nodiscard]] Family parse_family(std::string_view text, const std::string& path);

/// The same of a file; throws Error(file_not_readable) too.
[[nodiscard]] Family read_family(const std::string& path);

/// The family as records of a certificate (docs/certificates.md): `family N QUERIES M SCALE`, then `targets`
/// with the targets of each source. The names of sources and queries are no part of it.
[[nodiscard]] std::string table_text(const Family& family);

} // namespace kvproof
