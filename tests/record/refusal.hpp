#pragma once

#include "lib/error.hpp"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof::testing_support {

/// What a call that reads input did: nothing bad, or the code and the line of the Error it threw. Any other
/// exception passes on and fails the test.
struct Outcome {
    std::optional<ErrorCode> code;
    std::string line;
};

inline Outcome outcome_of(const std::function<void()>& read) {
    try {
        read();
        return {};
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
}

/// Whether the call is refused with this code, in one printable line that holds every one of these parts.
inline testing::AssertionResult refuses(const std::function<void()>& read, ErrorCode code,
                                        const std::vector<std::string>& parts) {
    const Outcome outcome = outcome_of(read);
    if (!outcome.code) return testing::AssertionFailure() << "was accepted";
    if (*outcome.code != code)
        return testing::AssertionFailure() << "code " << error_entry(*outcome.code).name << ", expected "
                                           << error_entry(code).name << ": " << outcome.line;
    for (const char c : outcome.line)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e)
            return testing::AssertionFailure() << "not one printable line: " << outcome.line;
    if (outcome.line.size() > 500) return testing::AssertionFailure() << "long line: " << outcome.line;
    for (const std::string& part : parts)
        if (outcome.line.find(part) == std::string::npos)
            return testing::AssertionFailure() << "no \"" << part << "\" in: " << outcome.line;
    return testing::AssertionSuccess();
}

/// The folder of malformed files; its README says what is wrong with each.
inline std::filesystem::path bad_files() {
    return std::filesystem::path(KVPROOF_SOURCE_DIR) / "tests/data/bad";
}

/// Every single-byte change of a kind that breaks formats, at a place chosen by `next`, a cut, or an
/// insertion.
template <class Next>
std::string damaged(std::string bytes, Next&& next) {
    const std::size_t at = next() % bytes.size();
    switch (next() % 5) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << (next() % 8))); break;
    case 1: bytes[at] = static_cast<char>(next()); break;
    case 2: bytes.resize(at); break;
    case 3: bytes.erase(at, 1 + next() % 9); break;
    default: bytes.insert(at, bytes.substr(next() % bytes.size(), 1 + next() % 9)); break;
    }
    return bytes;
}

} // namespace kvproof::testing_support
