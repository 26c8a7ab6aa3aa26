#include "app/line_file.hpp"

#include "lib/error.hpp"
#include "lib/record/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kvproof::app {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 32U;

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
    throw Error(ErrorCode::file_not_writable, path + ": " + why);
}

/// Whether one of the two is the beginning of the other.
bool agree(std::string_view a, std::string_view b) {
    return a.substr(0, b.size()) == b.substr(0, a.size());
}

} // namespace

LineFile::LineFile(std::string path) : path_(std::move(path)) {
    if (path_.empty()) return;
    file_ = open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) cannot_write(path_, std::strerror(errno));
    struct stat about {};
    const bool regular = fstat(file_, &about) == 0 && S_ISREG(about.st_mode);
    if (regular && flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    close(file_);
    cannot_write(path_, regular ? "another run is writing to it" : "found no regular file");
}

LineFile::~LineFile() {
    if (file_ >= 0) close(file_);
}

void LineFile::read(const std::vector<std::string_view>& beginnings,
                    const std::function<void(std::string_view line)>& take) {
    if (path_.empty()) return;
    const std::string text = read_file(path_, largest_file);
    std::size_t number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = std::string_view(text).substr(at, end - at);
        const bool torn = end == text.size();
        if (torn && std::ranges::any_of(beginnings, [&](auto begin) { return agree(line, begin); })) {
            if (ftruncate(file_, static_cast<off_t>(at)) != 0) cannot_write(path_, std::strerror(errno));
            return;
        }
        try {
            take(line);
        } catch (const Error& error) {
            throw Error(ErrorCode::bad_file_format,
                        path_ + ": line " + std::to_string(number) + ": " + error.what());
        }
        at = end + 1;
    }
}

void LineFile::append(std::string_view lines) {
    if (path_.empty()) return;
    const std::scoped_lock lock(one_at_a_time_);
    const off_t before = lseek(file_, 0, SEEK_END);
    errno = ENOSPC; // what a short write means
    if (write(file_, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()) && fsync(file_) == 0)
        return;
    const std::string why = std::strerror(errno);
    // half a line in the middle would spoil what another thread may still append
    static_cast<void>(ftruncate(file_, before));
    cannot_write(path_, why);
}

} // namespace kvproof::app
