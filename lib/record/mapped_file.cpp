#include "lib/record/mapped_file.hpp"

#include "lib/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kvproof {

MappedFile::MappedFile(const std::filesystem::path& path) {
    const auto refuse = [&path](const std::string& what) {
        throw Error(ErrorCode::file_not_readable, path.string() + ": " + what);
    };
    const auto system_says = [](int status) { return std::generic_category().message(status); };
    // O_NONBLOCK: opening a pipe must not wait for its writer
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) refuse("cannot be read: " + system_says(errno));
    struct stat found {};
    void* at = nullptr;
    const bool regular = ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
    const auto size = static_cast<std::size_t>(found.st_size);
    if (regular && size > 0) at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const int status = errno;
    ::close(file);
    if (!regular) refuse("found a folder or a device, expected a regular file");
    if (at == MAP_FAILED) refuse("cannot be mapped: " + system_says(status));
    if (size > 0) bytes_ = {static_cast<const char*>(at), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
    // mapped read-only; munmap's signature has no const
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

} // namespace kvproof
