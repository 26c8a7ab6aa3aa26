#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kvproof {

/// All bytes of a regular file. Folders, devices and pipes are refused, so that no call waits for ever.
/// Throws Error(file_not_readable), and Error(bad_file_format) where the file holds more than `max_bytes`
/// bytes: that is found out before memory is spent on it.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

/// Makes `path` a file of exactly these bytes, or leaves everything as it was: the bytes go to a new file in
/// the same folder, reach the disk, and take the name in one step. A link to a file stays a link. What is
/// there and is no regular file (a folder, /dev/null) is not replaced. Throws Error(file_not_writable).
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// One of many files of a folder that nobody reads yet. It reaches the disk with settle_folder, after which
/// the folder can take its name: one wait for the disk instead of one a file. Throws
/// Error(file_not_writable), also where the file exists.
void write_new_file(const std::filesystem::path& path, std::string_view bytes);
/// Waits until all files of the folder have reached the disk. Throws Error(file_not_writable).
void settle_folder(const std::filesystem::path& folder);

} // namespace kvproof
