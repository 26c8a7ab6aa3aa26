#pragma once

#include "app/probe_cell.hpp"

#include <nlohmann/json.hpp>

#include <mutex>
#include <utility>

namespace kvproof::app {

/// The finished cells of a sweep, kept in a file so that a sweep can go on where it was stopped. One JSON
/// line for each, {"cell": {...}, "sha256": hash of the cell}, written in one piece as soon as the cell is
/// done: files of several runs put one after the other are a file again.
class ProbeResults {
public:
    /// Reads the file where there is one; an empty path keeps nothing. A last line that was cut off is
    /// dropped. Throws Error(bad_file_format) that names the line for anything else that this program did not
    /// write, for another family's cells and for protocols that do not lose what the line says.
    ProbeResults(std::string path, const Family& family);

    /// A finished cell, null where there is none.
    [[nodiscard]] const DeterministicCell* find(const ProbeCell& cell) const;
    [[nodiscard]] const Bracket* find_bracket(const ProbeCell& cell) const;
    /// Appends a finished cell; from any thread. Throws Error(file_not_writable).
    void add(const ProbeCell& cell, const DeterministicCell& result);
    void add(const ProbeCell& cell, const Bracket& bracket);

private:
    void read_line(std::string_view line, std::size_t number);
    void read_risk(const ProbeCell& cell, const nlohmann::ordered_json& stored);
    void read_bracket(const ProbeCell& cell, const nlohmann::ordered_json& stored);
    void append(const ProbeCell& cell, const nlohmann::ordered_json& result);

    std::string path_;
    const Family& family_;
    std::string family_hash_;
    std::vector<std::pair<ProbeCell, DeterministicCell>> cells_;
    std::vector<std::pair<ProbeCell, Bracket>> brackets_;
    std::mutex one_at_a_time_;
};

} // namespace kvproof::app
