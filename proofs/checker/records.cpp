#include "records.hpp"

#include <algorithm>

namespace kvcheck {

Records::Records(std::string_view text)
    : rest_(text), last_(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'))) {}

std::string_view Records::peek() const {
    return rest_.substr(0, rest_.find('\n'));
}

std::string_view Records::next_line() {
    if (line_ == last_) bad();
    const std::string_view line = peek();
    rest_.remove_prefix(line.size() + 1);
    ++line_;
    return line;
}

std::vector<std::string_view> Records::take(std::string_view name, std::size_t fields) {
    std::string_view line = next_line();
    std::vector<std::string_view> parts;
    while (parts.size() <= fields) { // one more than there should be is enough to see
        const std::size_t space = line.find(' ');
        parts.push_back(line.substr(0, space));
        if (space == std::string_view::npos) {
            if (parts.size() != fields + 1 || parts[0] != name) bad();
            parts.erase(parts.begin());
            return parts;
        }
        line.remove_prefix(space + 1);
    }
    bad();
}

std::vector<std::string_view> Records::take_any(std::string_view name) {
    std::string_view line = next_line();
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t space = line.find(' ');
        parts.push_back(line.substr(0, space));
        if (space == std::string_view::npos) break;
        line.remove_prefix(space + 1);
    }
    if (parts.size() < 2 || parts[0] != name || line_ == last_) bad();
    parts.erase(parts.begin());
    return parts;
}

void Records::finish() {
    (void)next_line();
    if (line_ != last_) bad();
}

} // namespace kvcheck
