#include "app/probe_results.hpp"

#include "app/probe_witness_json.hpp"

#include "lib/error.hpp"
#include "lib/record/file.hpp"
#include "lib/record/sha256.hpp"
#include "sim/probe/family_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace kvproof::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t largest_file = std::uint64_t{1} << 30U;
constexpr std::string_view line_begin = R"({"cell":{"family":")";
constexpr int most_bits = 32;

[[noreturn]] void cannot_write(const std::string& path) {
    throw Error(ErrorCode::file_not_writable, path + ": " + std::strerror(errno));
}

[[noreturn]] void disagree(const std::string& what) {
    throw Error(ErrorCode::bad_file_format, what);
}

template <class Result>
const Result* find_in(const std::vector<std::pair<ProbeCell, Result>>& results, const ProbeCell& cell) {
    const auto at = std::ranges::find(results, cell, &std::pair<ProbeCell, Result>::first);
    return at == results.end() ? nullptr : &at->second;
}

} // namespace

ProbeResults::ProbeResults(std::string path, const Family& family)
    : path_(std::move(path)), family_(family), family_hash_(sha256(table_text(family))) {
    if (path_.empty() || !std::filesystem::exists(path_)) return;
    const std::string text = read_file(path_, largest_file);
    std::size_t at = 0;
    std::size_t number = 0;
    while (at < text.size()) {
        const std::size_t end = text.find('\n', at);
        const std::string_view line = std::string_view(text).substr(at, end - at);
        ++number;
        if (end == std::string::npos) {
            // what a killed run leaves: the beginning of a line of ours
            if (line.substr(0, line_begin.size()) != line_begin.substr(0, line.size()))
                throw Error(ErrorCode::bad_file_format,
                            fmt::format("{}: line {}: found no cell of a probe, expected a file that "
                                        "`kvproof probe --resume` wrote",
                                        path_, number));
            write_file_atomically(path_, text.substr(0, at));
            return;
        }
        read_line(line, number);
        at = end + 1;
    }
}

void ProbeResults::read_line(std::string_view line, std::size_t number) {
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorCode::bad_file_format, fmt::format("{}: line {}: {}", path_, number, what));
    };
    try {
        const Json json = Json::parse(line);
        const Json& stored = json.at("cell");
        if (json.at("sha256").get<std::string>() != sha256(stored.dump()))
            refuse("the cell does not have the hash beside it");
        if (stored.at("family").get<std::string>() != family_hash_)
            refuse("found a cell of another family, expected one of \"" + family_.name + "\"");
        const ProbeCell cell{parse_access_class(stored.at("class").get<std::string>()),
                             stored.at("bits").get<int>(), stored.at("probes").get<int>()};
        if (cell.bits < 0 || cell.bits > most_bits) refuse("found a record of too many bits");
        if (stored.contains("randomised"))
            read_bracket(cell, stored.at("randomised"));
        else
            read_risk(cell, stored);
    } catch (const nlohmann::json::exception&) {
        refuse("found no cell of a probe, expected a file that `kvproof probe --resume` wrote");
    } catch (const Error& error) {
        if (std::string_view(error.what()).starts_with(path_)) throw;
        refuse(error.what());
    }
}

void ProbeResults::read_risk(const ProbeCell& cell, const Json& stored) {
    const Rational risk = parse_rational(stored.at("risk").get<std::string>());
    DeterministicCell result{risk, risk, protocol_from(stored.at("protocol"), cell.bits),
                             stored.at("lower").get<std::string>()};
    require_within(result.protocol, family_, cell.access, cell.bits, cell.probes);
    if (worst_loss(result.protocol, family_) != risk) disagree("the protocol does not have this risk");
    const DeterministicCell* known = find(cell);
    if (known != nullptr && known->upper != risk) disagree("found another risk than in an earlier line");
    if (known == nullptr) cells_.emplace_back(cell, std::move(result));
}

void ProbeResults::read_bracket(const ProbeCell& cell, const Json& stored) {
    Bracket result = bracket_from(stored, family_, cell);
    if (std::ranges::max(expected_losses(family_, result.mixture)) != result.upper)
        disagree("the mixture does not have this loss");
    if (result.lower > result.upper) disagree("the bracket is empty");
    const Bracket* known = find_bracket(cell);
    if (known != nullptr && (known->lower != result.lower || known->upper != result.upper))
        disagree("found another bracket than in an earlier line");
    if (known == nullptr) brackets_.emplace_back(cell, std::move(result));
}

const DeterministicCell* ProbeResults::find(const ProbeCell& cell) const {
    return find_in(cells_, cell);
}

const Bracket* ProbeResults::find_bracket(const ProbeCell& cell) const {
    return find_in(brackets_, cell);
}

void ProbeResults::add(const ProbeCell& cell, const DeterministicCell& result) {
    append(cell, {{"risk", to_string(result.upper)},
                  {"lower", result.by},
                  {"protocol", protocol_json(result.protocol)}});
}

void ProbeResults::add(const ProbeCell& cell, const Bracket& bracket) {
    append(cell, {{"randomised", bracket_json(bracket, family_)}});
}

void ProbeResults::append(const ProbeCell& cell, const Json& result) {
    if (path_.empty()) return;
    Json stored = {{"family", family_hash_},
                   {"class", to_string(cell.access)},
                   {"bits", cell.bits},
                   {"probes", cell.probes}};
    stored.update(result);
    const std::string line = Json{{"cell", stored}, {"sha256", sha256(stored.dump())}}.dump() + "\n";
    const std::scoped_lock lock(one_at_a_time_);
    const int file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) cannot_write(path_);
    const bool written =
        write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && fsync(file) == 0;
    if (close(file) != 0 || !written) cannot_write(path_);
}

} // namespace kvproof::app
