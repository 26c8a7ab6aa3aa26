#pragma once

#include "gpu/group/group.hpp"

namespace kvproof::gpu {

/// A word for each of n items, in registers: every thread has Count items that follow each other, so n is at
/// most Count times the group's size. Items beyond n have the word 0.
template <int Count>
class RegisterItems {
public:
    template <Group G>
    KVPROOF_KERNEL RegisterItems(const G& g, int n) : first_(g.rank() * Count), n_(n) {}

    /// word(i) for each item.
    template <Group G, class Word>
    KVPROOF_KERNEL void set(const G&, const Word& word) {
        KVPROOF_UNROLL(16)
        for (int k = 0; k < Count; ++k) words_[k] = first_ + k < n_ ? word(first_ + k) : 0;
    }

    /// visit(std::uint32_t&) for each word of this thread.
    template <class Visit>
    KVPROOF_KERNEL void each(const Visit& visit) {
        KVPROOF_UNROLL(16)
        for (int k = 0; k < Count; ++k) visit(words_[k]);
    }

    /// Offers each item, in their order, what is left of `amount`: take(word, left) changes the word and
    /// returns how much it would take if there were no end of it.
    template <Group G, class Take>
    KVPROOF_KERNEL void hand_out(G& g, std::uint32_t amount, const Take& take) {
        std::uint32_t wanted = 0;
        each([&](std::uint32_t& word) {
            std::uint32_t copy = word;
            wanted += take(copy, 0);
        });
        const std::uint32_t before = g.exclusive_sum(wanted);
        std::uint32_t left = amount > before ? amount - before : 0;
        each([&](std::uint32_t& word) {
            const std::uint32_t taken = take(word, left);
            left = left > taken ? left - taken : 0;
        });
    }

    /// write(i, word) for each item.
    template <Group G, class Write>
    KVPROOF_KERNEL void write(const G&, const Write& write) {
        KVPROOF_UNROLL(16)
        for (int k = 0; k < Count; ++k)
            if (first_ + k < n_) write(first_ + k, words_[k]);
    }

private:
    std::uint32_t words_[Count] = {};
    int first_;
    int n_;
};

} // namespace kvproof::gpu
