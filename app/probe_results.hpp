#pragma once

#include "app/line_file.hpp"
#include "sim/probe/cell.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace kvproof::app {

/// The finished cells of a sweep, kept in a file so that a sweep can go on where it was stopped. One JSON
/// line for each, {"cell": {...}, "sha256": hash of the cell}, written in one piece as soon as the cell is
/// done: files of several runs put one after the other are a file again.
class ProbeResults {
public:
    /// Opens the file (LineFile) and reads it; an empty path keeps nothing. Throws Error(file_not_writable),
    /// and Error(bad_file_format) that names the line for what this program did not write, for another
    /// family's cells and for protocols that do not lose what the line says.
    ProbeResults(const std::string& path, const Family& family);

    /// A finished cell, null where there is none.
    [[nodiscard]] const DeterministicCell* find(const ProbeCell& cell) const;
    [[nodiscard]] const Bracket* find_bracket(const ProbeCell& cell) const;
    /// Appends a finished cell; from any thread. Throws Error(file_not_writable).
    void add(const ProbeCell& cell, const DeterministicCell& result);
    void add(const ProbeCell& cell, const Bracket& bracket);

private:
    void read_line(std::string_view line);
    void read_risk(const ProbeCell& cell, const nlohmann::ordered_json& stored);
    void read_bracket(const ProbeCell& cell, const nlohmann::ordered_json& stored);
    void append(const ProbeCell& cell, const nlohmann::ordered_json& result);

    const Family& family_;
    std::string family_hash_;
    LineFile file_;
    std::vector<std::pair<ProbeCell, DeterministicCell>> cells_;
    std::vector<std::pair<ProbeCell, Bracket>> brackets_;
};

} // namespace kvproof::app
