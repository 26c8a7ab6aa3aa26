#include "sim/probe/mixture.hpp"

#include "sim/probe/simplex.hpp"

#include <map>

namespace kvproof {
namespace {

/// Beyond this many rows times rows times columns the exact program takes minutes.
constexpr std::size_t most_work = 40'000'000;

} // namespace

std::vector<Rational> expected_losses(const Family& family, std::span<const WeightedProtocol> mixture) {
    std::vector<Rational> out(static_cast<std::size_t>(family.sources) *
                              static_cast<std::size_t>(family.queries));
    Integer total = 0;
    for (const WeightedProtocol& one : mixture) total += one.weight;
    const auto dim = static_cast<std::size_t>(family.dim);
    for (const WeightedProtocol& one : mixture)
        for (std::size_t x = 0; x < one.protocol.records.size(); ++x)
            for (int y = 0; y < family.queries; ++y) {
                const ProbeTree& tree = one.protocol.tree(y);
                const std::size_t width = std::size_t{1} << static_cast<unsigned>(tree.depth);
                const std::size_t leaf = static_cast<std::size_t>(y) * width +
                                         static_cast<std::size_t>(tree.leaf(one.protocol.records[x]));
                Rational loss = 0;
                for (std::size_t i = 0; i < dim; ++i) {
                    const Rational apart =
                        family.target(static_cast<int>(x), y)[i] - one.answers[leaf * dim + i];
                    loss += apart * apart;
                }
                out[x * static_cast<std::size_t>(family.queries) + static_cast<std::size_t>(y)] +=
                    loss * Rational(one.weight, total) / Rational(family.scale * family.dim);
            }
    return out;
}

std::vector<WeightedColumn> few_images(const std::vector<WeightedColumn>& columns, const Family& family,
                                       const std::vector<Symmetry>& group, const StopRequest& stop) {
    // images that lose the same everywhere are one
    std::map<std::vector<Rational>, WeightedColumn> images;
    for (const WeightedColumn& one : columns)
        for (const Symmetry& symmetry : group) {
            Column image = moved(one.column, family, symmetry);
            std::vector<Rational> of_image = losses(image, family);
            images.try_emplace(std::move(of_image), WeightedColumn{0, std::move(image)})
                .first->second.weight += one.weight / Rational(static_cast<long>(group.size()));
        }
    // pairs that lose the same in all of them are one
    std::map<std::vector<Rational>, std::size_t> rows;
    for (std::size_t pair = 0; pair < images.begin()->first.size(); ++pair) {
        std::vector<Rational> row;
        for (const auto& [of_image, image] : images) row.push_back(of_image[pair]);
        rows.emplace(std::move(row), pair);
    }
    const auto all = [&] {
        std::vector<WeightedColumn> out;
        for (auto& [of_image, image] : images) out.push_back(std::move(image));
        return out;
    };
    if (rows.size() * rows.size() * images.size() > most_work) return all();
    MatrixGame game(rows.size());
    for (const auto& [of_image, image] : images) {
        std::vector<Rational> column;
        for (const auto& [row, pair] : rows) column.push_back(of_image[pair]);
        game.add_column(column);
    }
    if (!game.solve(stop)) return all();
    std::vector<WeightedColumn> out;
    const std::vector<Rational> weights = game.mixture();
    std::size_t j = 0;
    for (auto& [of_image, image] : images) {
        if (weights[j] > 0) out.push_back({weights[j], std::move(image.column)});
        ++j;
    }
    return out;
}

} // namespace kvproof
