#pragma once

#include <string>
#include <vector>

namespace kvproof {

/// Who chooses an address, from what (ReadKV Table 1). All five classes are two answers: whether the path may
/// depend on the query, and in how many batches addresses are requested, each batch on the bits of the
/// earlier ones.
struct AccessClass {
    bool sees_query = false;
    int batches = 1; ///< at least 1; `unlimited` where every bit may decide the next address

    static constexpr int unlimited = 1 << 20;

    /// More batches than probes are no use: J >= r is branching (C.2).
    [[nodiscard]] int effective_batches(int probes) const { return batches < probes ? batches : probes; }

    bool operator==(const AccessClass&) const = default;
};

/// oblivious, query-independent, staged:J, branching. Throws Error(bad_option) for any other text.
[[nodiscard]] AccessClass parse_access_class(const std::string& text);
[[nodiscard]] std::string to_string(const AccessClass& access);

/// The classes that can differ at r probes, from the weakest: oblivious, query-independent, staged:1, ...,
/// staged:r-1, branching; always with staged:1.
[[nodiscard]] std::vector<AccessClass> access_classes(int probes);

/// Whether every protocol of the first is one of the second (Proposition 4).
[[nodiscard]] bool is_within(const AccessClass& weaker, const AccessClass& stronger);

} // namespace kvproof
