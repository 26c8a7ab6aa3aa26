#include "probe_tree.hpp"

#include "probe_ball.hpp"

#include <algorithm>
#include <map>

namespace kvcheck {
namespace {

constexpr unsigned any_batches = 100;

Tree read_tree(Records& records, unsigned w, unsigned depth, unsigned batches) {
    Tree tree{depth, {}};
    for (const std::string_view field : records.take("tree", (std::size_t{1} << depth) - 1)) {
        const std::optional<mpz_class> address = read_integer(field);
        const bool stops = field == "-";
        if (!stops && (!address || *address < 0 || *address >= w)) records.bad();
        const std::size_t node = tree.addresses.size();
        if (!stops && node > 0 && tree.addresses[(node - 1) / 2] == Tree::stop) records.bad();
        tree.addresses.push_back(stops ? Tree::stop : static_cast<int>(address->get_si()));
    }
    if (batches < depth && tree.fewest_batches() > batches) records.bad_witness();
    return tree;
}

} // namespace

std::optional<Access> read_access(std::string_view text) {
    if (text == "oblivious") return Access{false, 1};
    if (text == "query-independent") return Access{false, any_batches};
    if (text == "branching") return Access{true, any_batches};
    if (!text.starts_with("staged:")) return std::nullopt;
    const std::optional<mpz_class> batches = read_integer(text.substr(7));
    if (!batches || *batches < 1 || *batches > 99) return std::nullopt;
    return Access{true, static_cast<unsigned>(batches->get_ui())};
}

std::size_t Tree::leaf(unsigned record) const {
    std::size_t node = 0;
    while (node < addresses.size()) {
        const int address = addresses[node];
        const bool one = address != stop && ((record >> static_cast<unsigned>(address)) & 1) != 0;
        node = 2 * node + (one ? 2 : 1);
    }
    return node - addresses.size();
}

unsigned Tree::fewest_batches() const {
    // From each node on, level by level from the lowest; the leaves need none.
    std::vector<unsigned> fewest(2 * addresses.size() + 1, 0);
    for (unsigned level = depth; level-- > 0;) {
        for (std::size_t i = 0; i < std::size_t{1} << level; ++i) {
            const std::size_t node = (std::size_t{1} << level) - 1 + i;
            if (addresses[node] == stop) continue;
            unsigned best = depth;
            for (unsigned below = 0; level + below < depth; ++below) {
                // The nodes so far below are consecutive. All must hold one address.
                const std::size_t first = ((node + 1) << below) - 1;
                const std::size_t width = std::size_t{1} << below;
                const auto row = addresses.begin() + static_cast<std::ptrdiff_t>(first);
                const bool agree = *row != stop && std::all_of(row, row + static_cast<std::ptrdiff_t>(width),
                                                               [row](int a) { return a == *row; });
                if (!agree) break;
                const auto next = fewest.begin() + static_cast<std::ptrdiff_t>(2 * first + 1);
                best = std::min(best,
                                1 + *std::max_element(next, next + static_cast<std::ptrdiff_t>(2 * width)));
            }
            fewest[node] = best;
        }
    }
    return fewest[0];
}

Protocol read_protocol(Records& records, const ProbeFamily& family, const Access& access, unsigned w,
                       unsigned r) {
    Protocol protocol;
    for (std::size_t x = 0; x < family.sources; ++x) {
        const std::optional<mpz_class> record = read_scaled(records.take("record", 1)[0]);
        if (!record || *record < 0 || *record >> w != 0) records.bad();
        protocol.records.push_back(static_cast<unsigned>(record->get_ui()));
    }
    const std::size_t trees = access.sees_query ? family.queries : 1;
    for (std::size_t y = 0; y < trees; ++y)
        protocol.trees.push_back(read_tree(records, w, std::min(w, r), access.batches));
    return protocol;
}

mpq_class worst_loss(const Protocol& protocol, const ProbeFamily& family) {
    mpq_class worst;
    for (std::size_t y = 0; y < family.queries; ++y) {
        std::map<std::size_t, std::vector<const mpz_class*>> leaves;
        for (std::size_t x = 0; x < family.sources; ++x)
            leaves[protocol.leaf(x, y)].push_back(family.target(y, x));
        for (const auto& [leaf, points] : leaves)
            worst = std::max(worst, squared_radius(points, family.numbers));
    }
    return worst / family.unit;
}

} // namespace kvcheck
