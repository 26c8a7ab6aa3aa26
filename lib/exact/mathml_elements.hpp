#pragma once

#include <string>
#include <string_view>

// The elements of MathML that formulas here are made of. Arguments named `text` are plain text and are
// escaped; all others are elements already.

namespace kvproof::mathml {

[[nodiscard]] std::string escaped(std::string_view text);

[[nodiscard]] inline std::string element(const char* tag, std::string_view inner) {
    return std::string("<") + tag + ">" + std::string(inner) + "</" + tag + ">";
}
[[nodiscard]] inline std::string number(std::string_view text) {
    return element("mn", escaped(text));
}
[[nodiscard]] inline std::string identifier(std::string_view text) {
    return element("mi", escaped(text));
}
[[nodiscard]] inline std::string upright(std::string_view text) {
    return "<mi mathvariant=\"normal\">" + escaped(text) + "</mi>";
}
[[nodiscard]] inline std::string operation(std::string_view text) {
    return element("mo", escaped(text));
}
[[nodiscard]] inline std::string words(std::string_view text) {
    return element("mtext", escaped(text));
}
[[nodiscard]] inline std::string row(const std::string& inner) {
    return element("mrow", inner);
}
[[nodiscard]] inline std::string subscript(const std::string& base, const std::string& index) {
    return element("msub", base + index);
}
[[nodiscard]] inline std::string superscript(const std::string& base, const std::string& index) {
    return element("msup", base + index);
}

} // namespace kvproof::mathml
