#include "lib/record/quote.hpp"

namespace kvproof {

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (byte >= 0x20 && byte < 0x7f)
            out += c;
        else
            ((out += "\\x") += hex[byte >> 4]) += hex[byte & 15];
    }
    if (text.size() > longest) out += "...";
    return out + "\"";
}

} // namespace kvproof
