#include "sim/probe/column.hpp"

#include <bit>

namespace kvproof {
namespace {

std::size_t pair_of(const Family& family, int x, int y) {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(family.queries) +
           static_cast<std::size_t>(y);
}

std::vector<int> members(std::uint64_t set) {
    std::vector<int> out;
    for (; set != 0; set &= set - 1) out.push_back(std::countr_zero(set));
    return out;
}

std::vector<Rational> answer(const Column& column, const Family& family, std::uint64_t leaf, int y) {
    std::vector<Rational> out(static_cast<std::size_t>(family.dim));
    for (const int x : members(leaf))
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] += column.shares[pair_of(family, x, y)] * family.target(x, y)[i];
    return out;
}

} // namespace

Column with_means(Protocol protocol, const Family& family, const Prior& prior, const Prior& otherwise,
                  int round) {
    Column out{std::move(protocol), std::vector<Rational>(prior.weights.size())};
    for (int y = 0; y < family.queries; ++y)
        for (const std::uint64_t leaf : leaves(out.protocol, y)) {
            const std::vector<int> sources = members(leaf);
            Integer mass = 0;
            for (const int x : sources) mass += prior.weights[pair_of(family, x, y)];
            const Prior& used = mass > 0 ? prior : otherwise;
            if (mass == 0)
                for (const int x : sources) mass += used.weights[pair_of(family, x, y)];
            Rational left = 1;
            for (const int x : sources) {
                const Integer& weight = used.weights[pair_of(family, x, y)];
                Rational share(weight, mass);
                if (round > 0)
                    share = Rational(Integer((weight << static_cast<unsigned>(round)) / mass),
                                     Integer(1) << static_cast<unsigned>(round));
                out.shares[pair_of(family, x, y)] = share;
                left -= share;
            }
            if (!sources.empty()) out.shares[pair_of(family, sources.front(), y)] += left;
        }
    return out;
}

std::vector<Rational> losses(const Column& column, const Family& family) {
    std::vector<Rational> out(column.shares.size());
    const Rational norm(family.scale * family.dim);
    for (int y = 0; y < family.queries; ++y)
        for (const std::uint64_t leaf : leaves(column.protocol, y)) {
            const std::vector<Rational> centre = answer(column, family, leaf, y);
            for (const int x : members(leaf)) {
                Rational& loss = out[pair_of(family, x, y)];
                for (std::size_t i = 0; i < centre.size(); ++i) {
                    const Rational apart = family.target(x, y)[i] - centre[i];
                    loss += apart * apart;
                }
                loss /= norm;
            }
        }
    return out;
}

Column moved(const Column& column, const Family& family, const Symmetry& symmetry) {
    Column out = column;
    for (int x = 0; x < family.sources; ++x) {
        const int image = symmetry.sources[static_cast<std::size_t>(x)];
        out.protocol.records[static_cast<std::size_t>(image)] =
            column.protocol.records[static_cast<std::size_t>(x)];
        for (int y = 0; y < family.queries; ++y)
            out.shares[pair_of(family, image, symmetry.queries[static_cast<std::size_t>(y)])] =
                column.shares[pair_of(family, x, y)];
    }
    if (column.protocol.trees.size() > 1)
        for (std::size_t y = 0; y < column.protocol.trees.size(); ++y)
            out.protocol.trees[static_cast<std::size_t>(symmetry.queries[y])] = column.protocol.trees[y];
    return out;
}

std::vector<Rational> answers(const Column& column, const Family& family) {
    std::vector<Rational> out;
    for (int y = 0; y < family.queries; ++y)
        for (const std::uint64_t leaf : leaves(column.protocol, y))
            for (const Rational& entry : answer(column, family, leaf, y)) out.push_back(entry);
    return out;
}

Column for_all_queries(const Column& column, const QueryClasses& classes, bool sees_query) {
    Column out{column.protocol, {}};
    const std::size_t distinct = classes.representative.size();
    for (std::size_t x = 0; x < column.protocol.records.size(); ++x)
        for (const int y : classes.class_of)
            out.shares.push_back(column.shares[x * distinct + static_cast<std::size_t>(y)]);
    if (sees_query) {
        out.protocol.trees.clear();
        for (const int y : classes.class_of) out.protocol.trees.push_back(column.protocol.tree(y));
    }
    return out;
}

} // namespace kvproof
