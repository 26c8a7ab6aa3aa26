// A mapped file: the same bytes as a read one, nothing but regular files, and one owner.
#include "lib/record/mapped_file.hpp"

#include "lib/record/file.hpp"
#include "tests/record/refusal.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

class MappedFileTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "kvproof-mapped-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        return folder / name;
    }
    std::filesystem::path folder;
};

TEST_F(MappedFileTest, holds_the_bytes_that_reading_gives) {
    for (const auto& entry : std::filesystem::directory_iterator(bad_files())) {
        const MappedFile file(entry.path());
        EXPECT_EQ(file.bytes(), read_file(entry.path(), 1 << 24)) << entry.path();
    }
    EXPECT_TRUE(MappedFile(write("empty", "")).bytes().empty());
    EXPECT_EQ(MappedFile(write("page", std::string(4096, 'x'))).bytes().size(), 4096U);
    const std::string zeros("a\0b", 3);
    EXPECT_EQ(MappedFile(write("zeros", zeros)).bytes(), zeros);
}

TEST_F(MappedFileTest, outlives_its_name_and_a_move) {
    const auto path = write("short-lived", "bytes");
    MappedFile first(path);
    std::filesystem::remove(path);
    const MappedFile second = std::move(first);
    EXPECT_EQ(second.bytes(), "bytes");
    EXPECT_TRUE(first.bytes().empty()); // NOLINT(bugprone-use-after-move): one owner unmaps, and only one
}

TEST_F(MappedFileTest, refuses_what_is_no_regular_file) {
    using enum ErrorCode;
    EXPECT_TRUE(
        refuses([&] { MappedFile file(folder / "none"); }, file_not_readable, {"none", "cannot be read"}));
    EXPECT_TRUE(
        refuses([&] { MappedFile file(folder); }, file_not_readable, {folder.string(), "regular file"}));
    EXPECT_TRUE(
        refuses([] { MappedFile file("/dev/null"); }, file_not_readable, {"/dev/null", "regular file"}));
    EXPECT_TRUE(refuses([] { MappedFile file(""); }, file_not_readable, {"cannot be read"}));
    // a pipe that nobody writes to: refused, not waited for
    const auto pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_TRUE(refuses([&] { MappedFile file(pipe); }, file_not_readable, {"pipe", "regular file"}));
    const auto link = folder / "link";
    std::filesystem::create_symlink(folder / "none", link);
    EXPECT_TRUE(refuses([&] { MappedFile file(link); }, file_not_readable, {"link"}));
    const auto good = write("good", "x");
    EXPECT_FALSE(refuses([&] { MappedFile file(good); }, file_not_readable, {})); // the check can fail
}

} // namespace
