#pragma once

#include <filesystem>
#include <string_view>

namespace kvproof {

/// The bytes of a regular file, mapped and not copied: a file costs the pages that are looked at. What
/// another program does to the file meanwhile shows; cutting it short ends the process, as for any mapped
/// file.
class MappedFile {
public:
    /// Folders, devices and pipes are refused. Throws Error(file_not_readable).
    explicit MappedFile(const std::filesystem::path& path);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    [[nodiscard]] std::string_view bytes() const { return bytes_; }

private:
    std::string_view bytes_;
};

} // namespace kvproof
