#include "probe_encoding.hpp"

#include <algorithm>
#include <bit>

namespace kvcheck {

Encoding::Encoding(std::size_t sources, std::vector<std::vector<SourceSet>> lists, const Access& access,
                   unsigned w, unsigned r)
    : sources_(static_cast<long>(sources)), w_(w) {
    const unsigned depth = std::min(w, r);
    if (!access.sees_query) w_ = depth;
    reads_all_ = w_ == static_cast<long>(depth);
    shapes_ = all_shapes(depth, reads_all_ ? 1 : std::min(access.batches, depth));
    nodes_ = (1L << depth) - 1;
    addresses_ = reads_all_ ? 1 : w_;
    shape_variables_ = shapes_.size() > 1 ? static_cast<long>(shapes_.size()) : 0;
    for (const Shape& shape : shapes_) {
        first_slot_.push_back(static_cast<long>(slots_.size()));
        for (unsigned slot = 0; slot < shape.begins_batch.size(); ++slot) {
            slots_.push_back({slot_clauses_, slot, shape.begins_batch[slot]});
            slot_clauses_ += reads_all_ || shape.begins_batch[slot] ? 1 : 1 + w_ * (w_ + 1) / 2;
        }
    }
    variables_ = w_ * sources_;
    clauses_ = sources_ > 1 ? 2 * w_ - 1 : w_;
    for (std::vector<SourceSet>& conflicts : lists) {
        const long count = static_cast<long>(conflicts.size());
        lists_.push_back({std::move(conflicts), variables_, clauses_});
        variables_ += shape_variables_ + static_cast<long>(slots_.size()) * w_ + count * (nodes_ - 1);
        clauses_ += (shape_variables_ > 0 ? 1 : 0) + slot_clauses_ +
                    count * static_cast<long>(shapes_.size()) * nodes_ * addresses_ * 2;
    }
}

Clause Encoding::clause(long number) const {
    const long before_least = clauses_ - static_cast<long>(least_.size());
    long k = number - 1;
    if (k >= before_least) return least_[static_cast<std::size_t>(k - before_least)];
    if (k < w_) return {-bit(k, 0)};
    if (lists_.empty() || k < lists_[0].first_clause) return {-bit(k - w_, 1), bit(k - w_ + 1, 1)};
    const auto after = std::upper_bound(lists_.begin(), lists_.end(), k,
                                        [](long at, const List& list) { return at < list.first_clause; });
    const List& list = *(after - 1);
    k -= list.first_clause;
    if (shape_variables_ > 0 && k-- == 0) {
        Clause some;
        for (long s = 1; s <= shape_variables_; ++s) some.push_back(list.first_variable + s);
        return some;
    }
    return k < slot_clauses_ ? slot_clause(list, k) : conflict_clause(list, k - slot_clauses_);
}

Clause Encoding::slot_clause(const List& list, long k) const {
    const auto after = std::upper_bound(slots_.begin(), slots_.end(), k,
                                        [](long at, const Slot& slot) { return at < slot.first_clause; });
    const Slot& slot = *(after - 1);
    const long at = after - 1 - slots_.begin();
    k -= slot.first_clause;
    if (k == 0) {
        if (reads_all_) return {address(list, at, slot.number)};
        Clause some;
        for (long i = 0; i < w_; ++i) some.push_back(address(list, at, i));
        return some;
    }
    long i = 0;
    for (--k; k > i; ++i) k -= i + 1;
    return {-address(list, at - 1, i), -address(list, at, k)};
}

Clause Encoding::conflict_clause(const List& list, long k) const {
    const long b = k % 2;
    const long i = k / 2 % addresses_;
    const long node = k / 2 / addresses_ % nodes_;
    const long s = k / 2 / addresses_ / nodes_ % static_cast<long>(shapes_.size());
    const long c = k / 2 / addresses_ / nodes_ / static_cast<long>(shapes_.size());
    const long slot = shapes_[static_cast<std::size_t>(s)].slot_of[static_cast<std::size_t>(node)];
    const long last_address = address(list, static_cast<long>(slots_.size()) - 1, w_ - 1);
    const auto comes = [&](long p) { return last_address + c * (nodes_ - 1) + p; };
    Clause clause;
    if (shape_variables_ > 0) clause.push_back(-(list.first_variable + s + 1));
    if (node > 0) clause.push_back(-comes(node));
    const long read = reads_all_ ? slot : i;
    clause.push_back(-address(list, first_slot_[static_cast<std::size_t>(s)] + slot, read));
    for (SourceSet set = list.conflicts[static_cast<std::size_t>(c)]; set != 0; set &= set - 1) {
        const long z = bit(read, std::countr_zero(set));
        clause.push_back(b == 0 ? z : -z);
    }
    const long child = 2 * node + 1 + b;
    if (child < nodes_) clause.push_back(comes(child));
    return clause;
}

} // namespace kvcheck
