#include "lib/record/file.hpp"

#include "tests/record/refusal.hpp"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kvproof;
using namespace kvproof::testing_support;
namespace fs = std::filesystem;

namespace {

/// An empty folder of its own for each test.
class File : public testing::Test {
protected:
    void SetUp() override {
        folder =
            fs::path(testing::TempDir()) / ("kvproof-file-" + std::to_string(::getpid()) + "-" +
                                            testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }
    /// How many files are in the folder, hidden ones too.
    [[nodiscard]] std::ptrdiff_t entries() const {
        return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
    }
    fs::path folder;
};

TEST_F(File, what_was_written_is_read) {
    for (const std::string& bytes :
         {std::string(), std::string("a\0b\n\xff", 5), std::string(300'000, 'x')}) {
        write_file_atomically(folder / "f", bytes);
        EXPECT_EQ(read_file(folder / "f", 300'000), bytes);
        EXPECT_EQ(entries(), 1);
    }
}

TEST_F(File, a_new_one_never_takes_the_place_of_another) {
    write_new_file(folder / "f", "first");
    EXPECT_TRUE(refuses([&] { write_new_file(folder / "f", "second"); }, ErrorCode::file_not_writable,
                        {"f", "exists"}));
    EXPECT_EQ(read_file(folder / "f", 100), "first");
    EXPECT_NO_THROW(settle_folder(folder));
    EXPECT_TRUE(refuses([&] { settle_folder(folder / "none"); }, ErrorCode::file_not_writable, {"none"}));
}

TEST_F(File, reading_stops_at_the_limit) {
    write_file_atomically(folder / "f", "12345");
    EXPECT_EQ(read_file(folder / "f", 5), "12345");
    EXPECT_TRUE(refuses([&] { (void)read_file(folder / "f", 4); }, ErrorCode::bad_file_format,
                        {(folder / "f").string(), "found 5 bytes", "expected at most 4"}));
}

TEST_F(File, a_sparse_file_costs_no_memory) {
    write_file_atomically(folder / "f", "");
    fs::resize_file(folder / "f", std::uintmax_t{1} << 40);
    EXPECT_TRUE(refuses([&] { (void)read_file(folder / "f", 1 << 20); }, ErrorCode::bad_file_format,
                        {"found 1099511627776 bytes"}));
}

TEST_F(File, a_file_that_hides_its_size_is_read_to_the_limit) {
    if (!fs::exists("/proc/self/status")) GTEST_SKIP() << "no /proc here";
    EXPECT_NE(read_file("/proc/self/status", 1 << 20).find("Name:"), std::string::npos);
    EXPECT_TRUE(refuses([] { (void)read_file("/proc/self/status", 10); }, ErrorCode::bad_file_format,
                        {"found more than 10 bytes"}));
}

TEST_F(File, a_failing_read_is_no_empty_file) {
    if (!fs::exists("/proc/self/mem")) GTEST_SKIP() << "no /proc here";
    // A regular file whose first byte is at an address where nothing is.
    EXPECT_TRUE(refuses([] { (void)read_file("/proc/self/mem", 9); }, ErrorCode::file_not_readable,
                        {"/proc/self/mem", "cannot be read: "}));
}

TEST_F(File, what_cannot_be_read_is_named) {
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_TRUE(refuses([&] { (void)read_file(folder / "none", 9); }, ErrorCode::file_not_readable,
                        {(folder / "none").string(), "No such file"}));
    EXPECT_TRUE(refuses([&] { (void)read_file(folder, 9); }, ErrorCode::file_not_readable, {"regular file"}));
    EXPECT_TRUE(refuses([&] { (void)read_file(folder / "pipe", 9); }, ErrorCode::file_not_readable,
                        {"regular file"})); // and does not wait for a writer
    EXPECT_TRUE(
        refuses([] { (void)read_file("/dev/zero", 9); }, ErrorCode::file_not_readable, {"/dev/zero"}));
    EXPECT_TRUE(refuses([] { (void)read_file("", 9); }, ErrorCode::file_not_readable, {}));
}

/// A pipe stands for all devices: were the check gone, writing to /dev/null as root would replace it for the
/// whole machine (it did, once, while mutants of this file were run).
TEST_F(File, writing_replaces_a_file_and_nothing_else) {
    fs::create_directory(folder / "d");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    for (const char* name : {"d", "pipe"})
        EXPECT_TRUE(refuses([&] { write_file_atomically(folder / name, "x"); }, ErrorCode::file_not_writable,
                            {(folder / name).string(), "expected a regular file"}));
    EXPECT_TRUE(refuses([&] { write_file_atomically(folder / "none" / "f", "x"); },
                        ErrorCode::file_not_writable, {(folder / "none" / "f").string(), "No such file"}));
    EXPECT_TRUE(refuses([] { write_file_atomically("", "x"); }, ErrorCode::file_not_writable, {"empty"}));
    EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
    EXPECT_EQ(entries(), 2); // nothing is left behind
}

TEST_F(File, a_failing_write_leaves_the_old_file) {
    write_file_atomically(folder / "f", "old");
    std::string too_long(300, 'n'); // longer than a name may be: the rename fails after the write
    EXPECT_TRUE(
        refuses([&] { write_file_atomically(folder / too_long, "new"); }, ErrorCode::file_not_writable, {}));
    EXPECT_EQ(read_file(folder / "f", 9), "old");
    EXPECT_EQ(entries(), 1);
    const std::string longest(255, 'n');
    write_file_atomically(folder / longest, "new");
    EXPECT_EQ(read_file(folder / longest, 9), "new");
}

/// Ends the process with 7 if writing is refused where no file may be larger than 100 bytes.
[[noreturn]] void write_on_a_full_disk(const fs::path& path) {
    ::signal(SIGXFSZ, SIG_IGN); // the limit's signal would end the process
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Outcome outcome = outcome_of([&] { write_file_atomically(path, std::string(1000, 'x')); });
    ::_exit(outcome.code == ErrorCode::file_not_writable ? 7 : 8);
}

TEST_F(File, a_full_disk_leaves_the_old_file) {
    write_file_atomically(folder / "f", "old");
    EXPECT_EXIT(write_on_a_full_disk(folder / "f"), testing::ExitedWithCode(7), "");
    EXPECT_EQ(read_file(folder / "f", 9), "old");
    EXPECT_EQ(entries(), 1);
}

TEST_F(File, a_link_stays_a_link) {
    write_file_atomically(folder / "f", "old");
    fs::create_symlink("f", folder / "link");
    write_file_atomically(folder / "link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(folder / "f", 9), "new");
}

TEST_F(File, a_name_without_a_folder_is_in_the_current_one) {
    const fs::path before = fs::current_path();
    fs::current_path(folder);
    write_file_atomically("f", "x");
    fs::current_path(before);
    EXPECT_EQ(read_file(folder / "f", 9), "x");
    EXPECT_EQ(entries(), 1);
}

} // namespace
