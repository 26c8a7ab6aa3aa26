#include "proofs/rules/probe_words.hpp"

#include "lib/error.hpp"

#include <charconv>

namespace kvproof {

std::string ProbeWords::text() const {
    return to_string(access) + ", " + std::to_string(bits) + " bits, " + std::to_string(probes) +
           " probes on " + family.name;
}

int read_budget(const Formula& named, const std::string& word) {
    constexpr int most = 16; // docs/probe.md
    int value = -1;
    const char* end = word.data() + word.size();
    const auto [stopped, failure] = std::from_chars(word.data(), end, value);
    if (failure != std::errc() || stopped != end || value < 0 || value > most)
        throw Error(ErrorCode::bad_formula, named.name + ": \"" + word + "\" is no budget from 0 to 16");
    return value;
}

ProbeWords read_words(const Formula& named) {
    return {make_family(named.words[0]), parse_access_class(named.words[1]),
            read_budget(named, named.words[2]), read_budget(named, named.words[3])};
}

} // namespace kvproof
