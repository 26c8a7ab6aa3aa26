#include "app/report/svg.hpp"

#include "lib/error.hpp"
#include "lib/exact/mathml_elements.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>

namespace kvproof::report {
namespace {

using mathml::escaped;

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// gnuplot opens a group for every change of a pen, most of which draw nothing.
std::string without_empty_groups(const std::string& body) {
    std::istringstream lines(body);
    std::string out;
    std::string line;
    std::string group; // an opening line that may turn out to be empty
    while (std::getline(lines, line)) {
        if (!group.empty() && line == "</g>") {
            group.clear();
            continue;
        }
        out += group;
        group.clear();
        if (line.starts_with("<g ") && line.ends_with(">") && line.find("</g>") == std::string::npos &&
            line.find("id=") == std::string::npos)
            group = line + "\n";
        else if (line.find_first_not_of(" \t") != std::string::npos)
            out += line + "\n";
    }
    return out + group;
}

} // namespace

std::string inline_svg(const std::string& drawn, const Figure& figure) {
    const std::size_t head = drawn.find("</desc>");
    const std::size_t end = drawn.rfind("</svg>");
    if (drawn.find("<svg") == std::string::npos || head == std::string::npos || end == std::string::npos ||
        end < head)
        throw Error(ErrorCode::internal, "gnuplot: figure " + figure.id + ": found no drawing in its answer");
    std::string body = drawn.substr(head + std::string_view("</desc>").size(), end - head - 7);
    // filters behind labels, which no figure here uses
    for (std::size_t at = body.find("<filter"); at != std::string::npos; at = body.find("<filter")) {
        const std::size_t closed = body.find("</filter>", at);
        if (closed == std::string::npos) break;
        body.erase(at, closed + std::string_view("</filter>").size() - at);
    }
    replace_all(body, "]]>", "]]&gt;"); // which gnuplot leaves as it is, and XML has another use for
    const std::string prefix = figure.id + "-";
    constexpr std::array<const char*, 5> before_id = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (const char* const place : before_id) replace_all(body, place, place + prefix);
    for (const char* const black : {"=\"black\"", "='black'", "='rgb(  0,   0,   0)'"})
        replace_all(body, black, "=\"currentColor\"");
    return fmt::format(
        "<svg class=\"plot\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-labelledby=\"{2}title {2}desc\" "
        "xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"
        "<title id=\"{2}title\">{3}</title>\n<desc id=\"{2}desc\">{4}</desc>\n{5}</svg>",
        figure.width, figure.height, prefix, escaped(figure.title), escaped(figure.alternative),
        without_empty_groups(body));
}

} // namespace kvproof::report
