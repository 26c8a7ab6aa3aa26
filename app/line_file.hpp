#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof::app {

/// A text file that grows by whole lines, so that a run that is killed keeps all that it had finished. Other
/// runs are kept from it as long as this one has it open. An empty path stands for no file: nothing is read
/// or kept.
class LineFile {
public:
    /// Opens the file, or makes it. Throws Error(file_not_writable), also where another run has it open.
    explicit LineFile(std::string path);
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;
    ~LineFile();

    /// Gives every line to `take`. A last line without its end is what a killed run leaves: it is dropped if
    /// it is the beginning of a line that begins as one of `beginnings`, and else given to `take`. What
    /// `take` refuses, with any Error, throws Error(bad_file_format) that names the file and the line.
    void read(const std::vector<std::string_view>& beginnings,
              const std::function<void(std::string_view line)>& take);
    /// Appends lines, each with its end, and waits until they are on the disk; from any thread. Throws
    /// Error(file_not_writable); then the file is as it was.
    void append(std::string_view lines);

private:
    std::string path_;
    int file_ = -1;
    std::mutex one_at_a_time_;
};

} // namespace kvproof::app
