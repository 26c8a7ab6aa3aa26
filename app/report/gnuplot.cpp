#include "app/report/gnuplot.hpp"

#include "app/report/svg.hpp"
#include "app/subprocess.hpp"
#include "lib/error.hpp"
#include "lib/record/quote.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace kvproof::report {
namespace {

constexpr const char* program = "gnuplot";

/// The last line that gnuplot complains in, which says what is wrong; nothing where it only warns.
std::string complaint(const std::string& errors) {
    std::istringstream lines(errors);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t from = line.find_first_not_of(" \t\r");
        if (from != std::string::npos && line.find("warning:") == std::string::npos) out = line.substr(from);
    }
    return out;
}

std::string terminal(const Figure& figure) {
    return fmt::format(
        "set encoding utf8\n"
        "set terminal svg size {},{} dynamic enhanced font 'sans-serif,14' name 'plot'\n"
        // only the powers of ten on axes are marked up; every other text stands as it is
        "set title noenhanced\nset xlabel noenhanced\nset ylabel noenhanced\nset key noenhanced\n"
        "set border lw 0.8\nset grid lc rgb '#888888' lw 0.6 dt 3\nset tics nomirror\n"
        "set key outside top center horizontal samplen 1.5\n",
        figure.width, figure.height);
}

app::Ran run_gnuplot(const std::string& script) {
    try {
        // -d: no startup files
        return app::run_program("env", {"LC_ALL=C.UTF-8", "GNUTERM=svg", program, "-d"}, script, true);
    } catch (const Error& error) {
        throw Error(ErrorCode::file_not_readable, std::string(program) + ": " + error.what());
    }
}

} // namespace

void draw(std::vector<Figure>& figures) {
    for (Figure& figure : figures) {
        if (figure.script.empty()) continue;
        const app::Ran ran = run_gnuplot(terminal(figure) + figure.script + "\nunset output\n");
        constexpr int not_found = 127;
        if (ran.status == not_found)
            throw Error(ErrorCode::file_not_readable,
                        "gnuplot: found no such program, expected it for the plots "
                        "(Debian: gnuplot-nox), or --no-plots");
        // read from a file, gnuplot goes on after an error and ends well
        const std::string wrong = complaint(ran.err);
        if (ran.status != 0 || !wrong.empty())
            throw Error(ErrorCode::bad_file_format,
                        "gnuplot: figure " + figure.id +
                            ": found numbers that it cannot draw, expected results of "
                            "kvproof: " +
                            in_quotes(wrong));
        figure.svg = inline_svg(ran.out, figure);
    }
}

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            out += ' ';
        else if (c == '\'')
            out += "\xE2\x80\x99"; // gnuplot misreads a doubled one at the beginning of a string
        else if (c == '\\')
            out += "\xE2\x88\x96"; // of which it warns even where nothing is marked up
        else
            out += c == '`' ? '?' : c;
    }
    return out + "'";
}

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{:.9g}", value) : "NaN";
}

std::string data_block(const std::string& name, const std::vector<std::vector<double>>& rows) {
    std::string out = "$" + name + " << END\n";
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : " ") + number(row[i]);
        out += "\n";
    }
    return out + "END\n";
}

} // namespace kvproof::report
