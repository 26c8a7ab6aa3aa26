#include "app/montecarlo_run.hpp"

#include "app/ranks.hpp"
#include "lib/error.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>

namespace kvproof::app {
namespace {

/// Ascending block numbers, kept as ranges: a run may have very many blocks.
class BlockList {
public:
    BlockList() = default;
    /// What text() wrote.
    explicit BlockList(const std::string& text) {
        const char* const end = text.data() + text.size();
        for (const char* at = text.data(); at != end; ++at) { // past the space, then past the line's end
            std::uint64_t first = 0;
            std::uint64_t count = 0;
            at = std::from_chars(at, end, first).ptr + 1;
            at = std::from_chars(at, end, count).ptr;
            add(first, count);
        }
    }

    void add(std::uint64_t first, std::uint64_t count) {
        if (!ranges_.empty() && ranges_.back().first + ranges_.back().count == first)
            ranges_.back().count += count;
        else
            ranges_.push_back({first, count, size_});
        size_ += count;
    }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const {
        const auto after = std::ranges::upper_bound(ranges_, i, {}, &Range::before);
        return (after - 1)->first + (i - (after - 1)->before);
    }
    [[nodiscard]] std::string text() const {
        std::string out;
        for (const Range& range : ranges_)
            out += std::to_string(range.first) + " " + std::to_string(range.count) + "\n";
        return out;
    }

private:
    struct Range {
        std::uint64_t first;
        std::uint64_t count;
        std::uint64_t before; // how many are in earlier ranges
    };
    std::vector<Range> ranges_;
    std::uint64_t size_ = 0;
};

class Run {
public:
    Run(const Task& task, const MonteCarloRun& run, BlockFile* known, const std::function<void()>& step)
        : task_(task), run_(run), known_(known),
          step_(step), total_{.trials = 0,
                              .metrics = std::vector<MetricSums>(task.experiment.metrics.size())} {}

    /// Adds up what is known; the blocks that are left.
    BlockList missing() {
        const std::uint64_t whole = run_.trials / task_.experiment.block;
        BlockList out;
        std::uint64_t next = 0;
        for (const auto& [block, sums] : known_->blocks()) {
            if (block >= whole) break;
            if (next < block) out.add(next, block - next);
            total_ += sums;
            next = block + 1;
        }
        if (next < task_.blocks(run_.trials)) out.add(next, task_.blocks(run_.trials) - next);
        return out;
    }

    /// In ascending order whatever the executor's, so that a file holds a beginning of the blocks.
    void alone(const BlockList& blocks) {
        std::atomic<std::uint64_t> next = 0;
        run_.execute(blocks.size(), [&](std::size_t) {
            const std::uint64_t block = blocks[next++];
            finish(block, run_block(task_, block, run_.trials));
        });
    }

    void in_rounds(const BlockList& blocks) {
        std::vector<std::string> lines; // of the last round, by rank
        const std::size_t mine = run_.threads;
        std::uint64_t begin = 0;
        for (bool last = false; !last; begin += round_) {
            last = begin >= blocks.size(); // then only what rank 0 has to write is left
            lines = together([&] {
                if (is_first_rank()) take(lines);
                const std::uint64_t from = std::min(blocks.size(), begin + own_begin_);
                std::vector<Sums> done(std::min<std::uint64_t>(blocks.size() - from, mine));
                run_.execute(done.size(), [&](std::size_t i) {
                    done[i] = run_block(task_, blocks[from + i], run_.trials);
                });
                std::string out;
                for (std::size_t i = 0; i < done.size(); ++i)
                    out += block_line(task_, blocks[from + i], done[i]) + "\n";
                return out;
            });
        }
    }

    /// Learns how many blocks a round has, and where this rank's begin.
    void agree_on_rounds() {
        const std::vector<std::string> all = together([&] { return std::string(run_.threads, '.'); });
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            if (rank == static_cast<std::size_t>(own_rank())) own_begin_ = round_;
            round_ += all[rank].size();
        }
    }

    [[nodiscard]] const Sums& total() const { return total_; }

private:
    void finish(std::uint64_t block, const Sums& sums) {
        if (sums.trials == task_.experiment.block) known_->add(block, sums);
        const std::scoped_lock lock(one_at_a_time_);
        total_ += sums;
        step_();
    }

    void take(const std::vector<std::string>& rounds) {
        for (const std::string& lines : rounds)
            for (std::size_t at = 0; at < lines.size();) {
                const std::size_t end = lines.find('\n', at);
                const auto [block, sums] = block_of(task_, std::string_view(lines).substr(at, end - at));
                finish(block, sums);
                at = end + 1;
            }
    }

    const Task& task_;
    const MonteCarloRun& run_;
    BlockFile* known_;
    const std::function<void()>& step_;
    std::mutex one_at_a_time_;
    Sums total_;
    std::size_t round_ = 0;
    std::size_t own_begin_ = 0;
};

} // namespace

Sums run_montecarlo(const Task& task, const MonteCarloRun& run, BlockFile* known,
                    const std::function<void(std::uint64_t)>& begin, const std::function<void()>& step) {
    Run work(task, run, known, step);
    const std::vector<std::string> from_first =
        together([&] { return is_first_rank() ? work.missing().text() : ""; });
    const BlockList blocks(from_first.front());
    if (is_first_rank()) begin(blocks.size());
    if (rank_count() == 1) {
        work.alone(blocks);
    } else {
        work.agree_on_rounds();
        work.in_rounds(blocks);
    }
    return work.total();
}

} // namespace kvproof::app
