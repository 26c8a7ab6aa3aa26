#pragma once

#include "app/line_file.hpp"
#include "sim/montecarlo/task.hpp"

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvproof::app {

/// The finished blocks of a Monte Carlo task, kept so that a longer run goes on from a shorter or an
/// interrupted one: a header, then a line of integers for each block, checksummed (docs/montecarlo.md). Lines
/// may come in any order, files of one task put one after the other are a file again, and sums of lines are
/// results.
class BlockFile {
public:
    /// Opens the file (LineFile) and reads it; an empty path keeps nothing. Throws Error(file_not_writable),
    /// and Error(bad_file_format) that names the line for another task's blocks and for what this program did
    /// not write.
    BlockFile(const std::string& path, const Task& task);

    [[nodiscard]] const std::map<std::uint64_t, Sums>& blocks() const { return blocks_; }
    /// Appends the line of a whole block and waits until it is on the disk; from any thread. Throws
    /// Error(file_not_writable).
    void add(std::uint64_t block, const Sums& sums);

private:
    void read_line(std::string_view line);

    const Task& task_;
    LineFile file_;
    bool has_header_ = false;
    std::map<std::uint64_t, Sums> blocks_;
    std::mutex one_at_a_time_;
};

/// The line of a block, without its end, and back. Throws Error(bad_file_format) where the line is damaged,
/// is no line of this program, or is another task's.
[[nodiscard]] std::string block_line(const Task& task, std::uint64_t block, const Sums& sums);
[[nodiscard]] std::pair<std::uint64_t, Sums> block_of(const Task& task, std::string_view line);

} // namespace kvproof::app
