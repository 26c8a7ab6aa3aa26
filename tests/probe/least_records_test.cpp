// Clauses that leave least tables of records only: as they stand in docs/probe.md, that the least table of an
// orbit keeps them, and that they change no answer.
#include "lib/error.hpp"
#include "sim/probe/least_records.hpp"
#include "sim/probe/sat_solver.hpp"
#include "tests/probe/brute_force.hpp"
#include "tests/probe/random_family.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck/gtest.h>
#include <set>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

using Clauses = std::vector<std::vector<int>>;

Clauses clauses(int bits, int sources, const std::vector<Renaming>& renamings) {
    Cnf cnf{bits * sources, {}};
    require_least_records(cnf, bits, sources, renamings);
    return cnf.clauses;
}

TEST(LeastRecords, columns_are_compared_from_source_1_on) {
    // z(0,.) is 1 to 4, z(1,.) 5 to 8; e is 9 and 10
    EXPECT_EQ(clauses(2, 4, {}),
              (Clauses{{-2, 6}, {6, 9}, {-2, 9}, {-9, -3, 7}, {-9, 7, 10}, {-9, -3, 10}, {-10, -4, 8}}));
    EXPECT_EQ(clauses(2, 1, {}), Clauses{});
    EXPECT_EQ(clauses(1, 3, {}), Clauses{});
}

TEST(LeastRecords, a_renaming_that_leaves_source_0_compares_all_but_the_last_of_each_cycle) {
    // one address: z is 1 to 5; sources 1 and 3 change places, 2 and 4 too
    EXPECT_EQ(clauses(1, 5, {{0, 3, 4, 1, 2}}), (Clauses{{-2, 4}, {4, 6}, {-2, 6}, {-6, -3, 5}}));
    EXPECT_EQ(clauses(1, 5, {{0, 3, 1, 2, 4}}), (Clauses{{-2, 4}, {4, 6}, {-2, 6}, {-6, -3, 2}}));
    EXPECT_EQ(clauses(1, 5, {{0, 1, 2, 3, 4}}), Clauses{});
}

TEST(LeastRecords, a_renaming_that_moves_source_0_complements) {
    EXPECT_EQ(
        clauses(1, 3, {{2, 1, 0}}),
        (Clauses{
            {-2, 2, 3}, {-2, -2, -3}, {2, 3, 4}, {-2, -3, 4}, {-2, 4}, {-4, -3, 1, 3}, {-4, -3, -1, -3}}));
}

TEST(LeastRecords, exchanges_keep_the_lists) {
    const ConflictLists lists{{{0b00011, 0b00101}, {0b00011, 0b01001}}, {0, 1}};
    EXPECT_EQ(exchanges(lists, 5),
              (std::vector<Renaming>{{0, 1, 3, 2, 4}})); // which exchanges the lists, too
    EXPECT_FALSE(keeps(lists, {1, 0, 2, 3, 4}));
    EXPECT_FALSE(keeps(lists, {0, 1, 4, 3, 2}));
    EXPECT_EQ(exchanges({{{0b00011}}, {0}}, 5), (std::vector<Renaming>{{0, 1, 3, 2, 4}, {0, 1, 2, 4, 3}}));
    for (const Renaming& bad : {Renaming{0, 1, 1, 3, 4}, Renaming{0, 1, 2, 3, 5}, Renaming{-1, 1, 2, 3, 4}})
        EXPECT_THROW((void)keeps(lists, bad), Error);
}

/// A table of records as the word that the page reads: bit i of source x is word[x * bits + i].
using Word = std::vector<bool>;

Word word_of(unsigned table, int length) {
    Word out;
    for (int k = 0; k < length; ++k) out.push_back((table >> static_cast<unsigned>(k) & 1U) != 0);
    return out;
}

/// The least of all words that exchanged or complemented addresses and the renamings make of this one.
Word least_of_orbit(const Word& start, std::size_t bits, const std::vector<Renaming>& renamings) {
    const std::size_t sources = start.size() / bits;
    std::set<Word> seen = {start};
    std::vector<Word> open = {start};
    while (!open.empty()) {
        const Word word = open.back();
        open.pop_back();
        std::vector<Word> next;
        for (std::size_t i = 0; i < bits; ++i) {
            next.push_back(word);
            for (std::size_t x = 0; x < sources; ++x) next.back()[x * bits + i] = !word[x * bits + i];
            if (i == 0) continue;
            next.push_back(word);
            for (std::size_t x = 0; x < sources; ++x) {
                next.back()[x * bits + i] = word[x * bits + i - 1];
                next.back()[x * bits + i - 1] = word[x * bits + i];
            }
        }
        for (const Renaming& renaming : renamings) {
            next.push_back(word);
            for (std::size_t x = 0; x < sources; ++x)
                for (std::size_t i = 0; i < bits; ++i)
                    next.back()[x * bits + i] = word[static_cast<std::size_t>(renaming[x]) * bits + i];
        }
        for (Word& found : next)
            if (seen.insert(found).second) open.push_back(std::move(found));
    }
    return *seen.begin();
}

/// Whether the clauses can hold with these records.
bool can_hold(const Word& word, int bits, const std::vector<Renaming>& renamings) {
    const auto w = static_cast<std::size_t>(bits);
    const std::size_t sources = word.size() / w;
    Cnf cnf{static_cast<int>(word.size()), {}};
    require_least_records(cnf, bits, static_cast<int>(sources), renamings);
    for (std::size_t x = 0; x < sources; ++x)
        for (std::size_t i = 0; i < w; ++i) {
            const auto z = static_cast<int>(1 + i * sources + x);
            cnf.clauses.push_back({word[x * w + i] ? z : -z});
        }
    return solve(cnf).answer == SatAnswer::satisfiable;
}

Renaming any_renaming(int sources) {
    Renaming out(static_cast<std::size_t>(sources));
    std::iota(out.begin(), out.end(), 0);
    for (std::size_t k = out.size(); k > 1; --k)
        std::swap(out[k - 1], out[*rc::gen::inRange<std::size_t>(0, k)]);
    return out;
}

RC_GTEST_PROP(LeastRecordsProperty, the_least_of_an_orbit_is_left, ()) {
    const int bits = *rc::gen::inRange(1, 4);
    const int sources = *rc::gen::inRange(1, 5);
    std::vector<Renaming> renamings;
    for (int k = *rc::gen::inRange(0, 4); k > 0; --k) renamings.push_back(any_renaming(sources));
    const Word word =
        word_of(*rc::gen::inRange(0U, 1U << static_cast<unsigned>(bits * sources)), bits * sources);
    const Word least = least_of_orbit(word, static_cast<std::size_t>(bits), renamings);
    RC_ASSERT(can_hold(least, bits, renamings));
}

TEST(LeastRecords, leave_out_what_one_change_makes_less) {
    // all exchanges of three sources after source 0, two addresses: rows and columns ascend
    const std::vector<Renaming> renamings = {{0, 2, 1, 3}, {0, 1, 3, 2}};
    int left = 0;
    for (unsigned table = 0; table < 1U << 6U; ++table) {
        Word word = word_of(table << 2U, 8);
        const std::vector<Word> rows = {{word[2], word[3]}, {word[4], word[5]}, {word[6], word[7]}};
        const Word first = {word[2], word[4], word[6]};
        const Word second = {word[3], word[5], word[7]};
        const bool ascends = std::ranges::is_sorted(rows) && first <= second;
        EXPECT_EQ(can_hold(word, 2, renamings), ascends) << table;
        left += ascends ? 1 : 0;
    }
    EXPECT_EQ(left, 14);
}

/// Every permutation that keeps the lists.
std::vector<Renaming> all_renamings(const ConflictLists& lists, int sources) {
    Renaming renaming(static_cast<std::size_t>(sources));
    std::iota(renaming.begin(), renaming.end(), 0);
    std::vector<Renaming> out;
    do {
        if (keeps(lists, renaming)) out.push_back(renaming);
    } while (std::ranges::next_permutation(renaming).found);
    return out;
}

/// Holds the answers with least records against every table and every tree, at each candidate risk. Returns
/// the most renamings that there were.
std::size_t try_every_value(const Family& family, int bits) {
    const int probes = *rc::gen::inRange(1, 4);
    const std::vector<AccessClass> classes = access_classes(probes);
    const AccessClass access = classes[*rc::gen::inRange<std::size_t>(0, classes.size())];
    std::size_t most = 0;
    const Rational risk = BruteForce(family).risk(access, bits, probes);
    const SmallSets sets = small_sets(family);
    for (std::size_t v = 1; v < sets.values.size(); ++v) {
        const Rational& value = sets.values[v];
        const ConflictLists lists = conflict_lists(sets, value, access.sees_query);
        const Encoding encoding(lists, access, family.sources, bits, probes);
        const std::vector<Renaming> all = all_renamings(lists, family.sources);
        most = std::max(most, all.size());
        for (const auto& renamings : {exchanges(lists, family.sources), all}) {
            Cnf cnf = encoding.cnf();
            require_least_records(cnf, encoding.bits(), family.sources, renamings);
            const SatResult result = solve(cnf);
            RC_ASSERT(result.answer == (risk < value ? SatAnswer::satisfiable : SatAnswer::unsatisfiable));
            if (risk < value) RC_ASSERT(worst_loss(encoding.protocol(result.model), family) < value);
        }
    }
    return most;
}

RC_GTEST_PROP(LeastRecordsProperty, change_no_answer, ()) {
    const int sources = *rc::gen::inRange(2, 5);
    (void)try_every_value(random_family(sources, 3, *rc::gen::inRange(1, 3)), *rc::gen::inRange(1, 4));
}

RC_GTEST_PROP(LeastRecordsProperty, change_no_answer_about_a_symmetric_family, ()) {
    // a word and all that a renaming of its places makes of it: the renaming keeps the lists
    const int sources = *rc::gen::inRange(3, 6);
    const Renaming renaming = any_renaming(sources);
    std::string word;
    for (int x = 0; x < sources; ++x) word += static_cast<char>('0' + *rc::gen::inRange(0, 3));
    std::string name = "labels:" + word;
    for (std::string next = word;;) {
        const std::string before = next;
        for (std::size_t x = 0; x < next.size(); ++x) next[x] = before[static_cast<std::size_t>(renaming[x])];
        if (next == word) break;
        name += "," + next;
    }
    const std::size_t most = try_every_value(make_family(name), *rc::gen::inRange(1, sources == 5 ? 3 : 4));
    Renaming identity = renaming;
    std::ranges::sort(identity);
    RC_ASSERT((most >= 2 || renaming == identity || name.find_first_not_of(word[0], 7) == std::string::npos));
}

TEST(LeastRecords, of_an_exchange_that_does_not_keep_the_lists_would_change_an_answer) {
    // two bits, all of them read, five sources of which each two but 0 and 4 conflict: 4 must have 0's record
    ConflictLists lists{{{}}, {0}};
    for (unsigned y = 1; y < 5; ++y)
        for (unsigned x = 0; x < y; ++x)
            if (x != 0 || y != 4) lists.lists[0].push_back(1U << x | 1U << y);
    const Encoding encoding(lists, {true, AccessClass::unlimited}, 5, 2, 2);
    const auto answer = [&](const Renaming& renaming) {
        Cnf cnf = encoding.cnf();
        require_least_records(cnf, encoding.bits(), 5, {renaming});
        return solve(cnf).answer;
    };
    EXPECT_TRUE(keeps(lists, {0, 1, 3, 2, 4}));
    EXPECT_EQ(answer({0, 1, 3, 2, 4}), SatAnswer::satisfiable);
    EXPECT_FALSE(keeps(lists, {0, 1, 2, 4, 3}));
    EXPECT_EQ(answer({0, 1, 2, 4, 3}), SatAnswer::unsatisfiable);
}

} // namespace
