#include "lib/account/words.hpp"

#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <charconv>
#include <string>

namespace kvproof {

std::vector<std::string_view> split_words(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t end = text.find(separator);
        out.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return out;
        text.remove_prefix(end + 1);
    }
}

long parse_whole(std::string_view text, long lower, long upper, std::string_view what) {
    long value = 0;
    const char* const end = text.data() + text.size();
    const std::from_chars_result read = std::from_chars(text.data(), end, value);
    const bool whole = !text.empty() && text.front() != '-' && read.ec == std::errc() && read.ptr == end;
    if (!whole || value < lower || value > upper)
        throw Error(ErrorCode::bad_option, std::string(what) + ": found " + in_quotes(text) +
                                               ", expected a whole number from " + std::to_string(lower) +
                                               " to " + std::to_string(upper));
    return value;
}

} // namespace kvproof
