#include "app/block_file.hpp"

#include "lib/error.hpp"

namespace kvproof::app {
namespace {

constexpr std::string_view header_begin = "task,block,trials,";
constexpr std::string_view header_end = ",checksum";

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::bad_file_format, what);
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

} // namespace

BlockFile::BlockFile(const std::string& path, const Task& task) : task_(task), file_(path) {
    file_.read({header_begin, task_.hash}, [this](std::string_view line) { read_line(line); });
}

void BlockFile::read_line(std::string_view line) {
    if (is_header(line)) {
        has_header_ = true;
        return;
    }
    if (!has_header_) refuse("found no header, expected a file that `kvproof montecarlo --resume` wrote");
    auto [block, sums] = block_of(task_, line);
    if (sums.trials != task_.experiment.block) refuse("found a block that is cut short");
    const auto [at, is_new] = blocks_.try_emplace(block, std::move(sums));
    if (!is_new && !(block_of(task_, line).second == at->second))
        refuse("found other sums than an earlier line for the same block");
}

void BlockFile::add(std::uint64_t block, const Sums& sums) {
    const std::string line = block_line(task_, block, sums) + "\n";
    const std::scoped_lock lock(one_at_a_time_);
    file_.append(has_header_ ? line : header_of(task_) + "\n" + line);
    has_header_ = true;
}

} // namespace kvproof::app
