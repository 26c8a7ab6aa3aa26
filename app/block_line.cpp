#include "app/block_file.hpp"

#include "lib/error.hpp"
#include "lib/record/sha256.hpp"

#include <charconv>

namespace kvproof::app {
namespace {

constexpr std::size_t checksum_digits = 16;
constexpr std::size_t fields_before = 3;    // task, block, trials
constexpr std::size_t fields_of_metric = 5; // samples, sum, squares, least, greatest
constexpr std::size_t most_digits = 60;     // of a sum of squares: far more than fit
constexpr std::size_t shown_of_hash = 16;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::bad_file_format, what);
}

std::string checksum(std::string_view text) {
    return sha256(text).substr(0, checksum_digits);
}

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> out;
    for (std::size_t at = 0;;) {
        const std::size_t comma = line.find(',', at);
        out.push_back(line.substr(at, comma - at));
        if (comma == std::string_view::npos) return out;
        at = comma + 1;
    }
}

template <class Number>
Number number_from(std::string_view text) {
    Number value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        refuse("found a field that is no integer");
    return value;
}

Integer integer_from(std::string_view text) {
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    if (digits.empty() || digits.size() > most_digits ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
        refuse("found a field that is no integer");
    return Integer(std::string(text));
}

} // namespace

std::string block_line(const Task& task, std::uint64_t block, const Sums& sums) {
    std::string out = task.hash + "," + std::to_string(block) + "," + std::to_string(sums.trials);
    for (const MetricSums& metric : sums.metrics)
        out += "," + std::to_string(metric.samples) + "," + metric.sum.str() + "," + metric.squares.str() +
               "," + std::to_string(metric.least) + "," + std::to_string(metric.greatest);
    return out + "," + checksum(out);
}

std::pair<std::uint64_t, Sums> block_of(const Task& task, std::string_view line) {
    const std::vector<std::string_view> fields = split(line);
    if (fields.size() < fields_before + 1 || fields[0].size() != task.hash.size())
        refuse("found no block, expected a file that `kvproof montecarlo --resume` wrote");
    if (checksum(line.substr(0, line.rfind(','))) != fields.back())
        refuse("the block does not have the checksum at its end");
    if (fields[0] != task.hash)
        refuse("found a block of task " + std::string(fields[0].substr(0, shown_of_hash)) +
               "..., expected task " + task.hash.substr(0, shown_of_hash) +
               "...: another experiment, version, setting, seed or capture");
    const std::vector<Metric>& metrics = task.experiment.metrics;
    if (fields.size() != fields_before + fields_of_metric * metrics.size() + 1)
        refuse("found " + std::to_string(fields.size()) + " fields");
    Sums sums{.trials = number_from<std::uint64_t>(fields[2]), .metrics = {}};
    if (sums.trials == 0 || sums.trials > task.experiment.block) refuse("found sums that no block has");
    for (std::size_t m = 0; m < metrics.size(); ++m) {
        const std::string_view* field = &fields[fields_before + fields_of_metric * m];
        sums.metrics.push_back({.samples = number_from<std::uint64_t>(field[0]),
                                .sum = integer_from(field[1]),
                                .squares = integer_from(field[2]),
                                .least = number_from<std::int64_t>(field[3]),
                                .greatest = number_from<std::int64_t>(field[4])});
        const MetricSums& read = sums.metrics.back();
        if (read.samples > sums.trials || read.least > read.greatest) refuse("found sums that no block has");
    }
    return {number_from<std::uint64_t>(fields[1]), sums};
}

} // namespace kvproof::app
