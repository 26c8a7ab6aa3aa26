#pragma once

// Families of the probe model (docs/probe.md): targets of sources and queries, by name or from records.

#include "exact.hpp"
#include "records.hpp"

#include <string>
#include <vector>

namespace kvcheck {

/// `hypercube:3`, within its bounds; `hash` is that of a file, `words` are those of labels.
struct FamilyName {
    std::string text, kind, hash;
    std::vector<unsigned long> parameters;
    std::vector<std::string> words;
};

/// Nothing where the text names no family of at most 64 sources.
[[nodiscard]] std::optional<FamilyName> read_family_name(std::string_view text);

/// Targets over one denominator: a squared distance of them, divided by `unit`, is a loss.
struct ProbeFamily {
    std::size_t sources = 0, queries = 0, numbers = 1;
    mpz_class common = 1, unit = 1;
    std::vector<mpz_class> targets; ///< [queries, sources, numbers]

    [[nodiscard]] const mpz_class* target(std::size_t y, std::size_t x) const {
        return &targets[(y * sources + x) * numbers];
    }
};

/// The family; a file's table is read from the records, and throws Invalid where it is not the one named.
[[nodiscard]] ProbeFamily read_family(const FamilyName& name, Records& records);

} // namespace kvcheck
