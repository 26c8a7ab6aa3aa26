#include "app/block_file.hpp"

#include "lib/error.hpp"
#include "lib/record/file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kvproof::app {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 32U;
constexpr std::string_view header_begin = "task,block,trials,";
constexpr std::string_view header_end = ",checksum";

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
    throw Error(ErrorCode::file_not_writable, path + ": " + why);
}

std::string header_of(const Task& task) {
    std::string out(header_begin.substr(0, header_begin.size() - 1));
    for (const Metric& metric : task.experiment.metrics)
        for (const char* field : {"samples", "sum", "squares", "least", "greatest"})
            out += "," + metric.name + "." + field;
    return out + std::string(header_end);
}

bool is_header(std::string_view line) {
    return line.starts_with(header_begin) && line.ends_with(header_end);
}

/// Whether a line of this task, or a header, could begin so.
bool may_be_torn(std::string_view text, const Task& task) {
    const auto begins = [&](std::string_view whole) {
        return text.substr(0, whole.size()) == whole.substr(0, text.size());
    };
    return begins(header_begin) || begins(task.hash);
}

} // namespace

BlockFile::BlockFile(std::string path, const Task& task) : path_(std::move(path)), task_(task) {
    if (path_.empty()) return;
    open();
    try {
        read();
    } catch (...) {
        close(file_); // a constructor that throws runs no destructor
        throw;
    }
}

BlockFile::~BlockFile() {
    if (file_ >= 0) close(file_);
}

void BlockFile::open() {
    file_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) cannot_write(path_, std::strerror(errno));
    struct stat about {};
    const bool regular = fstat(file_, &about) == 0 && S_ISREG(about.st_mode);
    if (regular && flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    close(file_);
    cannot_write(path_, regular ? "another run is writing to it" : "found no regular file");
}

void BlockFile::read() {
    const std::string text = read_file(path_, largest_file);
    std::size_t at = 0;
    std::size_t number = 0;
    while (at < text.size()) {
        const std::size_t end = text.find('\n', at);
        const std::string_view line = std::string_view(text).substr(at, end - at);
        ++number;
        if (end == std::string::npos && may_be_torn(line, task_)) {
            // what a killed run leaves
            if (ftruncate(file_, static_cast<off_t>(at)) != 0) cannot_write(path_, std::strerror(errno));
            return;
        }
        read_line(line, number);
        at = end == std::string::npos ? text.size() : end + 1;
    }
}

void BlockFile::read_line(std::string_view line, std::size_t number) {
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorCode::bad_file_format, path_ + ": line " + std::to_string(number) + ": " + what);
    };
    if (is_header(line)) {
        has_header_ = true;
        return;
    }
    if (!has_header_) refuse("found no header, expected a file that `kvproof montecarlo --resume` wrote");
    try {
        auto [block, sums] = block_of(task_, line);
        if (sums.trials != task_.experiment.block) refuse("found a block that is cut short");
        const auto [at, is_new] = blocks_.try_emplace(block, std::move(sums));
        if (!is_new && !(block_of(task_, line).second == at->second))
            refuse("found other sums than an earlier line for the same block");
    } catch (const Error& error) {
        if (std::string_view(error.what()).starts_with(path_)) throw;
        refuse(error.what());
    }
}

void BlockFile::add(std::uint64_t block, const Sums& sums) {
    if (path_.empty()) return;
    const std::string line = block_line(task_, block, sums) + "\n";
    const std::scoped_lock lock(one_at_a_time_);
    append(has_header_ ? line : header_of(task_) + "\n" + line);
    has_header_ = true;
}

void BlockFile::append(const std::string& text) {
    errno = ENOSPC; // what a short write means
    if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || fsync(file_) != 0)
        cannot_write(path_, std::strerror(errno));
}

} // namespace kvproof::app
