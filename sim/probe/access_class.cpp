#include "sim/probe/access_class.hpp"

#include "lib/error.hpp"

#include <algorithm>
#include <charconv>

namespace kvproof {

AccessClass parse_access_class(const std::string& text) {
    if (text == "oblivious") return {false, 1};
    if (text == "query-independent") return {false, AccessClass::unlimited};
    if (text == "branching") return {true, AccessClass::unlimited};
    constexpr std::string_view staged = "staged:";
    if (text.starts_with(staged)) {
        int batches = 0;
        const char* end = text.data() + text.size();
        const auto [stopped, failure] = std::from_chars(text.data() + staged.size(), end, batches);
        if (failure == std::errc() && stopped == end && batches >= 1 && batches <= 99) return {true, batches};
    }
    throw Error(ErrorCode::bad_option,
                "reader class \"" + text +
                    "\": expected oblivious, query-independent, staged:J with J from 1 to 99, "
                    "or branching");
}

std::string to_string(const AccessClass& access) {
    if (access.batches == AccessClass::unlimited)
        return access.sees_query ? "branching" : "query-independent";
    return access.sees_query ? "staged:" + std::to_string(access.batches) : "oblivious";
}

std::vector<AccessClass> access_classes(int probes) {
    std::vector<AccessClass> out = {{false, 1}, {false, AccessClass::unlimited}};
    for (int batches = 1; batches < std::max(probes, 2); ++batches) out.push_back({true, batches});
    out.push_back({true, AccessClass::unlimited});
    return out;
}

bool is_within(const AccessClass& weaker, const AccessClass& stronger) {
    return (stronger.sees_query || !weaker.sees_query) && weaker.batches <= stronger.batches;
}

} // namespace kvproof
