#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace kvproof::testing_support {

inline void write_all(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// A folder of the test's own, empty at first and removed at the end.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "kvproof-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) std::abort();
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    /// Writes a file and returns its path.
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        write_all(path_ / name, bytes);
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

} // namespace kvproof::testing_support
