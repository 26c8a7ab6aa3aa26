#include "lib/record/file.hpp"

#include "lib/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace kvproof {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(ErrorCode code, const fs::path& path, const std::string& what) {
    throw Error(code, path.string() + ": " + what);
}

[[noreturn]] void refuse_errno(ErrorCode code, const fs::path& path, const std::string& what, int status) {
    refuse(code, path, what + ": " + std::generic_category().message(status));
}

/// An open file that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int get() const { return number_; }
    /// False where the last bytes could not be stored.
    [[nodiscard]] bool close() {
        const int number = number_;
        number_ = -1;
        return ::close(number) == 0;
    }

private:
    int number_;
};

/// A file with a name that nobody else uses, in the given folder; it is gone at the end of the scope unless
/// it was renamed.
class TemporaryFile {
public:
    explicit TemporaryFile(const fs::path& target) {
        const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
        for (int attempt = 0; attempt < 1000; ++attempt) {
            // Not made from the target's name, which may be as long as a name may be.
            path_ =
                folder / (".kvproof-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp");
            descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (descriptor_ >= 0) return;
            if (errno != EEXIST) break;
        }
        refuse_errno(ErrorCode::file_not_writable, target, "no file can be made in its folder", errno);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        if (!renamed_) ::unlink(path_.c_str());
    }

    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] const fs::path& path() const { return path_; }
    void rename_to(const fs::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0)
            refuse_errno(ErrorCode::file_not_writable, target, "cannot be replaced", errno);
        renamed_ = true;
    }

private:
    fs::path path_;
    int descriptor_ = -1;
    bool renamed_ = false;
};

/// The name to rename to: behind links, and only if a regular file or nothing is there.
fs::path replaceable(const fs::path& path) {
    struct stat found {};
    if (path.empty()) throw Error(ErrorCode::file_not_writable, "found an empty file name");
    if (::stat(path.c_str(), &found) != 0) {
        if (errno == ENOENT) return path;
        refuse_errno(ErrorCode::file_not_writable, path, "cannot be written", errno);
    }
    if (!S_ISREG(found.st_mode))
        refuse(ErrorCode::file_not_writable, path, "found a folder or a device, expected a regular file");
    std::error_code status;
    fs::path behind_links = fs::canonical(path, status);
    return status ? path : behind_links;
}

void write_all(const Descriptor& file, const fs::path& path, std::string_view bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::write(file.get(), bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse_errno(ErrorCode::file_not_writable, path, "cannot be written", errno);
        done += static_cast<std::size_t>(count);
    }
}

} // namespace

std::string read_file(const fs::path& path, std::uint64_t max_bytes) {
    // O_NONBLOCK: opening a pipe without a writer would wait.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat found {};
    if (file.get() < 0 || ::fstat(file.get(), &found) != 0)
        refuse_errno(ErrorCode::file_not_readable, path, "cannot be read", errno);
    if (!S_ISREG(found.st_mode))
        refuse(ErrorCode::file_not_readable, path, "found a folder, pipe or device, expected a regular file");
    const auto refuse_size = [&](const std::string& size) {
        refuse(ErrorCode::bad_file_format, path,
               "found " + size + " bytes, expected at most " + std::to_string(max_bytes));
    };
    const auto size = static_cast<std::uint64_t>(found.st_size);
    if (size > max_bytes) refuse_size(std::to_string(size));

    // The size is a hint: files of /proc say 0, and a file may grow while it is read.
    std::string bytes;
    std::size_t filled = 0;
    for (;;) {
        if (filled > max_bytes) refuse_size("more than " + std::to_string(max_bytes));
        if (filled == bytes.size()) bytes.resize(filled == 0 ? size + 1 : 2 * filled + 4096);
        const ssize_t count = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
        if (count == 0) break;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse_errno(ErrorCode::file_not_readable, path, "cannot be read", errno);
        filled += static_cast<std::size_t>(count);
    }
    bytes.resize(filled);
    return bytes;
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
    const fs::path target = replaceable(path);
    TemporaryFile temporary(target);
    Descriptor file(temporary.descriptor());
    write_all(file, path, bytes);
    if (::fsync(file.get()) != 0 || !file.close())
        refuse_errno(ErrorCode::file_not_writable, path, "cannot be written", errno);
    temporary.rename_to(target);
    // The new name reaches the disk with its folder. The file itself is whole either way, so a file system
    // that cannot do this is no failure.
    const Descriptor folder(
        ::open(temporary.path().parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0) static_cast<void>(::fsync(folder.get()));
}

void write_new_file(const fs::path& path, std::string_view bytes) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0) refuse_errno(ErrorCode::file_not_writable, path, "cannot be written", errno);
    write_all(file, path, bytes);
    if (!file.close()) refuse_errno(ErrorCode::file_not_writable, path, "cannot be written", errno);
}

void settle_folder(const fs::path& folder) {
    const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.get() < 0 || ::syncfs(file.get()) != 0)
        refuse_errno(ErrorCode::file_not_writable, folder, "cannot be written", errno);
}

} // namespace kvproof
