#pragma once

#include "gpu/group/group.hpp"

namespace kvproof::gpu {

/// A word for each of n items, in memory that the group has for itself, shared or not: neighbouring threads
/// have neighbouring items.
class ScratchItems {
public:
    KVPROOF_KERNEL ScratchItems(std::uint32_t* words, int n) : words_(words), n_(n) {}

    /// word(i) for each item.
    template <Group G, class Word>
    KVPROOF_KERNEL void set(const G& g, const Word& word) {
        rank_ = g.rank();
        step_ = g.size();
        for (int i = rank_; i < n_; i += step_) words_[i] = word(i);
    }

    /// visit(std::uint32_t&) for each word of this thread.
    template <class Visit>
    KVPROOF_KERNEL void each(const Visit& visit) {
        for (int i = rank_; i < n_; i += step_) visit(words_[i]);
    }

    /// Offers each item, in their order, what is left of `amount`: take(word, left) changes the word and
    /// returns how much it would take if there were no end of it. Here each thread has items that follow each
    /// other, an odd number of them, so that the words of a warp lie in different banks.
    template <Group G, class Take>
    KVPROOF_KERNEL void hand_out(G& g, std::uint32_t amount, const Take& take) {
        const int share = ((n_ + step_ - 1) / step_) | 1;
        const int begin = rank_ * share < n_ ? rank_ * share : n_;
        const int end = begin + share < n_ ? begin + share : n_;
        g.sync(); // the words were written by others
        std::uint32_t wanted = 0;
        for (int i = begin; i < end; ++i) {
            std::uint32_t copy = words_[i];
            wanted += take(copy, 0);
        }
        const std::uint32_t before = g.exclusive_sum(wanted);
        std::uint32_t left = amount > before ? amount - before : 0;
        for (int i = begin; i < end; ++i) {
            const std::uint32_t taken = take(words_[i], left);
            left = left > taken ? left - taken : 0;
        }
        g.sync(); // and go back to them
    }

    /// write(i, word) for each item.
    template <Group G, class Write>
    KVPROOF_KERNEL void write(const G&, const Write& write) {
        for (int i = rank_; i < n_; i += step_) write(i, words_[i]);
    }

private:
    std::uint32_t* words_;
    int n_;
    int rank_ = 0;
    int step_ = 1;
};

} // namespace kvproof::gpu
