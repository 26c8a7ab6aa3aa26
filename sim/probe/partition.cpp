#include "sim/probe/partition.hpp"

#include <algorithm>
#include <limits>

namespace kvproof {

PartitionSearch::PartitionSearch(const std::vector<std::int64_t>& table, int sources, int parts)
    : table_(table), everyone_(static_cast<std::uint32_t>(table.size()) - 1),
      parts_(std::min(parts, sources)) {
    of_rest_.emplace_back(table.size() / 2, std::numeric_limits<std::int64_t>::max() / 2);
    of_rest_[0][0] = 0;
    for (int k = 1; k < parts_; ++k) {
        std::vector<std::int64_t> row(table.size() / 2);
        for (std::uint32_t set = 1; set < row.size(); ++set) row[set] = best(set << 1U, k);
        of_rest_.push_back(std::move(row));
    }
    least_ = best(everyone_, parts_);
}

std::int64_t PartitionSearch::best(std::uint32_t set, int parts) const {
    const std::vector<std::int64_t>& fewer = of_rest_[static_cast<std::size_t>(parts) - 1];
    const std::uint32_t first = set & -set;
    const std::uint32_t others = set ^ first;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    // `left` runs through the subsets of the others
    for (std::uint32_t left = others;; left = (left - 1) & others) {
        least = std::min(least, table_[set ^ left] + fewer[left >> 1U]);
        if (left == 0) return least;
    }
}

void PartitionSearch::visit(std::int64_t window,
                            const std::function<bool(const std::vector<std::uint32_t>&)>& visit) const {
    std::vector<std::uint32_t> chosen;
    const auto go = [&](const auto& self, std::uint32_t set, int parts, std::int64_t budget) -> bool {
        if (set == 0) return visit(chosen);
        if (parts == 0) return false;
        const std::uint32_t first = set & -set;
        const std::uint32_t others = set ^ first;
        for (std::uint32_t left = others;; left = (left - 1) & others) {
            const std::int64_t rest = budget - table_[set ^ left];
            if (of_rest_[static_cast<std::size_t>(parts) - 1][left >> 1U] <= rest) {
                chosen.push_back(set ^ left);
                if (self(self, left, parts - 1, rest)) return true;
                chosen.pop_back();
            }
            if (left == 0) return false;
        }
    };
    go(go, everyone_, parts_, least_ + window);
}

} // namespace kvproof
