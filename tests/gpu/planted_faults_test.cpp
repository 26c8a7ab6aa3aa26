// Kernels with faults planted in them, each of which must be caught: by its result under one of the
// schedules, by an exception, or as a data race by ThreadSanitizer; and sound kernels, in which nothing may
// be found. A program of its own, since under ThreadSanitizer it has races on purpose.
#include "tests/gpu/executors.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <string_view>

using namespace kvproof;
using namespace kvproof::gpu;
using namespace kvproof::test;

namespace {
int reports = 0;
}

#ifdef __SANITIZE_THREAD__
/// The runtime calls this with each report, and takes its options from the other: races are no failure here,
/// and of thousands of reports none is read.
extern "C" [[gnu::visibility("default"), gnu::no_sanitize_thread]] void __tsan_on_report(void* /*report*/) {
    ++reports;
}
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options() {
    return "exitcode=0:symbolize=0:suppress_equal_addresses=0";
}
#endif

namespace {

constexpr int width = 32;
using Numbers = std::vector<int>;
using Kernel = std::function<void(FiberGroup&, int block, int* out)>;

/// By what a kernel is found out at width 32, if at all.
struct Found {
    bool by_result = false;    ///< some schedule gives other numbers
    bool by_exception = false; ///< some schedule throws Divergence
    bool by_race = false;
};

/// Runs a kernel on two blocks under all schedules; `expected` holds the 64 numbers that it should write.
Found examine(const Kernel& kernel, const Numbers& expected) {
    Found found;
    const int before = reports;
    for (const FiberOptions& options : blocks_of(width)) {
        Numbers out(expected.size(), -1);
        try {
            run_fibers(options, 2, [&](FiberGroup& g, int block) { kernel(g, block, out.data()); });
            found.by_result = found.by_result || out != expected;
        } catch (const Divergence&) {
            found.by_exception = true;
        }
    }
    found.by_race = reports != before;
    return found;
}

/// The number of each thread of two blocks, from its rank.
template <class Of>
Numbers in_each_thread(const Of& of) {
    Numbers out;
    for (int i = 0; i < 2 * width; ++i) out.push_back(of(i % width));
    return out;
}

const Numbers right_neighbour = in_each_thread([](int r) { return (r + 1) % width; });
const Numbers sevens(64, 7);

int* place(int* out, int block, const FiberGroup& g) {
    return out + block * width + g.rank();
}

// ---- sound kernels ----------------------------------------------------------------------------------------

void reads_neighbour(FiberGroup& g, int block, int* out) {
    int* const s = g.shared<int>(width);
    s[g.rank()] = g.rank();
    g.sync();
    *place(out, block, g) = s[(g.rank() + 1) % width];
}

/// Barriers in a loop: a token that is reused too early would be seen here.
void passes_around(FiberGroup& g, int block, int* out) {
    int* const s = g.shared<int>(width);
    s[g.rank()] = g.rank();
    g.sync();
    for (int round = 0; round < width + 1; ++round) {
        const int taken = s[(g.rank() + 1) % width];
        g.sync();
        s[g.rank()] = taken;
        g.sync();
    }
    *place(out, block, g) = s[g.rank()];
}

void counts_with_collectives(FiberGroup& g, int block, int* out) {
    const std::uint32_t before = g.exclusive_sum(1);
    const std::uint32_t all = g.sum(1U);
    *place(out, block, g) = static_cast<int>((before + 1) % all);
}

TEST(PlantedFaults, nothing_is_found_in_sound_kernels) {
    for (const Kernel& kernel :
         {Kernel(reads_neighbour), Kernel(passes_around), Kernel(counts_with_collectives)}) {
        const Found found = examine(kernel, right_neighbour);
        EXPECT_FALSE(found.by_result);
        EXPECT_FALSE(found.by_exception);
        EXPECT_FALSE(found.by_race);
    }
}

// ---- faults that a result shows ---------------------------------------------------------------------------

struct Fault {
    const char* name;
    Kernel kernel;
    const Numbers& expected;
    bool result_shows = true; ///< also without ThreadSanitizer
};

const std::vector<Fault> races = {
    {"no barrier between writing and reading a neighbour's number",
     [](FiberGroup& g, int block, int* out) {
         int* const s = g.shared<int>(width);
         s[g.rank()] = g.rank();
         *place(out, block, g) = s[(g.rank() + 1) % width];
     },
     right_neighbour},
    {"no barrier after thread 0 wrote for all",
     [](FiberGroup& g, int block, int* out) {
         int* const s = g.shared<int>(1);
         if (g.rank() == 0) *s = 7;
         *place(out, block, g) = *s;
     },
     sevens},
    {"no barrier after the last thread wrote for all",
     [](FiberGroup& g, int block, int* out) {
         int* const s = g.shared<int>(1);
         if (g.rank() == width - 1) *s = 7;
         *place(out, block, g) = *s;
     },
     sevens},
    {"a number overwritten that another thread may not have read yet",
     [](FiberGroup& g, int block, int* out) {
         int* const s = g.shared<int>(width);
         s[g.rank()] = g.rank();
         g.sync();
         *place(out, block, g) = s[(g.rank() + 1) % width];
         s[g.rank()] = -5;
     },
     right_neighbour},
    {"the second barrier of a loop is missing",
     [](FiberGroup& g, int block, int* out) {
         int* const s = g.shared<int>(width);
         s[g.rank()] = g.rank();
         g.sync();
         for (int round = 0; round < width + 1; ++round) {
             const int taken = s[(g.rank() + 1) % width];
             g.sync();
             s[g.rank()] = taken;
         }
         *place(out, block, g) = s[g.rank()];
     },
     right_neighbour},
    {"a sum taken for a barrier",
     [](FiberGroup& g, int block, int* out) {
         int* const s = g.shared<int>(width);
         s[g.rank()] = g.rank();
         static_cast<void>(g.sum(1U));
         *place(out, block, g) = s[(g.rank() + 1) % width];
     },
     right_neighbour, false},
    {"all threads write one number, the same",
     [](FiberGroup& g, int block, int* out) {
         int* const s = g.shared<int>(1);
         *s = 7;
         g.sync();
         *place(out, block, g) = *s;
     },
     sevens, false},
    {"two threads add to one number",
     [](FiberGroup& g, int block, int* out) {
         int* const s = g.shared<int>(1);
         if (g.rank() == 0) *s = 5;
         g.sync();
         if (g.rank() < 2) *s += 1;
         g.sync();
         *place(out, block, g) = *s;
     },
     sevens, false},
    {"the blocks of a launch write one number",
     [](FiberGroup& g, int block, int* out) {
         if (g.rank() == 1) out[0] = 7; // both blocks
         if (g.rank() > 0 || block > 0) *place(out, block, g) = 7;
     },
     sevens, false},
    {"a block reads what an earlier block of the launch wrote",
     [](FiberGroup& g, int block, int* out) { *place(out, block, g) = block == 0 ? 7 : out[g.rank()]; },
     sevens, false},
};

/// Of each race, in one go: ThreadSanitizer reports a place once.
const std::vector<Found>& found_races() {
    static const std::vector<Found> found = [] {
        std::vector<Found> all;
        for (const Fault& fault : races) all.push_back(examine(fault.kernel, fault.expected));
        return all;
    }();
    return found;
}

TEST(PlantedFaults, races_that_results_show_are_caught) {
    for (std::size_t i = 0; i < races.size(); ++i) {
        EXPECT_FALSE(found_races()[i].by_exception) << races[i].name;
        EXPECT_EQ(found_races()[i].by_result, races[i].result_shows) << races[i].name;
    }
}

#ifdef __SANITIZE_THREAD__
TEST(PlantedFaults, every_race_is_caught) {
    for (std::size_t i = 0; i < races.size(); ++i) EXPECT_TRUE(found_races()[i].by_race) << races[i].name;
}
#endif

/// On a device every one of these may hang or be undefined.
const std::vector<Fault> divergences = {
    {"one thread comes to no barrier",
     [](FiberGroup& g, int block, int* out) {
         if (g.rank() != 3) g.sync();
         *place(out, block, g) = 7;
     },
     sevens},
    {"half of the threads leave early",
     [](FiberGroup& g, int block, int* out) {
         *place(out, block, g) = 7;
         if (g.rank() % 2 == 0) return;
         g.sync();
     },
     sevens},
    {"threads meet at different collectives",
     [](FiberGroup& g, int block, int* out) {
         *place(out, block, g) =
             g.rank() % 2 == 0 ? static_cast<int>(g.sum(0U)) + 7 : static_cast<int>(g.max(7U));
     },
     sevens},
    {"a barrier of some is a collective of others",
     [](FiberGroup& g, int block, int* out) {
         if (g.rank() > 7)
             g.sync();
         else
             static_cast<void>(g.exclusive_sum(1));
         *place(out, block, g) = 7;
     },
     sevens},
    {"a loop of different length",
     [](FiberGroup& g, int block, int* out) {
         for (int i = g.rank(); i < 40; i += g.size()) g.sync();
         *place(out, block, g) = 7;
     },
     sevens},
    {"sums of different types",
     [](FiberGroup& g, int block, int* out) {
         *place(out, block, g) =
             7 + (g.rank() == 0 ? static_cast<int>(g.sum(0.0F)) : static_cast<int>(g.sum(0.0)));
     },
     sevens},
    {"different sizes of shared memory",
     [](FiberGroup& g, int block, int* out) {
         static_cast<void>(g.shared<int>(g.rank() + 1));
         *place(out, block, g) = 7;
     },
     sevens},
};

TEST(PlantedFaults, every_divergence_is_caught) {
    for (const Fault& fault : divergences)
        EXPECT_TRUE(examine(fault.kernel, fault.expected).by_exception) << fault.name;
}

/// What shared memory holds before somebody writes there is not 0.
TEST(PlantedFaults, memory_that_nobody_wrote_is_seen) {
    const Kernel adds_up = [](FiberGroup& g, int block, int* out) {
        int* const s = g.shared<int>(width);
        s[g.rank()] += 7;
        *place(out, block, g) = s[g.rank()];
    };
    const Found found = examine(adds_up, sevens);
    EXPECT_TRUE(found.by_result);
    EXPECT_FALSE(found.by_race);
}

#ifdef __SANITIZE_ADDRESS__
/// Pieces of shared memory do not touch.
TEST(PlantedFaultsDeathTest, a_step_beyond_shared_memory_is_seen) {
    const auto steps_beyond = [] {
        run_block({.width = 4}, [](FiberGroup& g) {
            int* const first = g.shared<int>(4);
            int* const second = g.shared<int>(4);
            second[g.rank()] = 0;
            first[g.rank() + 1] = 0;
        });
    };
    EXPECT_DEATH(steps_beyond(), "AddressSanitizer");
}
#endif

} // namespace
