#include "probe_encoding.hpp"

#include <algorithm>

namespace kvcheck {
namespace {

constexpr unsigned long most_shapes = 1UL << 12, most_nodes = 1UL << 20;

/// The number of shapes, or a larger one than is allowed.
unsigned long count_shapes(unsigned levels, unsigned batches) {
    if (batches <= 1) return 1;
    unsigned long total = 0;
    for (unsigned first = 1; first + batches <= levels + 1; ++first) {
        const unsigned long inner = count_shapes(levels - first, std::min(batches - 1, levels - first));
        unsigned long product = 1;
        for (unsigned long i = 0; i < 1UL << first && inner > 1 && product <= most_shapes; ++i)
            product *= inner;
        total += product;
        if (total > most_shapes) break;
    }
    return total;
}

/// The levels of each batch, in the order of the slots: a shape as a list.
using Batches = std::vector<unsigned>;

std::vector<Batches> batch_lists(unsigned levels, unsigned batches) {
    if (levels == 0) return {{}};
    if (batches == 1) return {{levels}};
    std::vector<Batches> all;
    for (unsigned first = 1; first + batches <= levels + 1; ++first) {
        const std::vector<Batches> inner = batch_lists(levels - first, std::min(batches - 1, levels - first));
        std::vector<Batches> some = {{first}};
        for (unsigned long outcome = 0; outcome < 1UL << first; ++outcome) {
            std::vector<Batches> longer;
            for (const Batches& before : some) {
                for (const Batches& next : inner) {
                    longer.push_back(before);
                    longer.back().insert(longer.back().end(), next.begin(), next.end());
                }
            }
            some = std::move(longer);
        }
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

/// Gives slots to the nodes from `node` on, `levels` of them left.
void place(Shape& shape, const Batches& batches, std::size_t& next, std::size_t node, unsigned levels) {
    if (levels == 0) return;
    const unsigned here = batches[next++];
    for (unsigned level = 0; level < here; ++level) {
        const std::size_t first = ((node + 1) << level) - 1;
        for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
            shape.slot_of[first + i] = static_cast<unsigned>(shape.begins_batch.size());
        shape.begins_batch.push_back(level == 0);
    }
    for (std::size_t i = 0; i < std::size_t{1} << here; ++i)
        place(shape, batches, next, ((node + 1) << here) - 1 + i, levels - here);
}

} // namespace

std::vector<Shape> all_shapes(unsigned levels, unsigned batches) {
    constexpr unsigned most_levels = 20; // 2^20 nodes
    if (levels > most_levels) throw TooLarge{};
    const unsigned long count = count_shapes(levels, batches);
    if (count > most_shapes || count << levels > most_nodes) throw TooLarge{};
    std::vector<Shape> shapes;
    for (const Batches& list : batch_lists(levels, batches)) {
        Shape shape;
        shape.slot_of.resize((std::size_t{1} << levels) - 1);
        std::size_t next = 0;
        place(shape, list, next, 0, levels);
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

} // namespace kvcheck
