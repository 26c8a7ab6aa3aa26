// Every fiber runs until it meets the others; when all of them have come to the same meeting, its result is
// worked out here and they go on. So what a fiber sees of the others' memory depends on barriers alone.
//
// Compiled without ThreadSanitizer even where the rest has it. Inline functions of the standard library that
// this file and an instrumented one both use exist once in the program, in either form: so what lies in
// containers here is of types that no other file has.
#include "gpu/group/fiber_scheduler.hpp"

#include "gpu/group/fiber_sanitizers.hpp"
#include "gpu/group/reduction_tree.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <new>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>
#include <vector>

namespace kvproof::gpu {

namespace {

constexpr std::size_t stack_bytes = std::size_t{128} * 1024;
constexpr std::size_t spacing = 64; ///< between pieces of shared memory; reading there is an error under ASan
constexpr std::size_t most_pieces = 64;

/// Unwinds the fibers that wait when another has failed. No exception of the standard library, so that a
/// kernel's handlers let it pass.
struct Unwind {};

enum class Stage { running, waiting, left };

struct Fiber {
    ucontext_t context;
    SanitizerFiber sanitizer;
    Stage stage = Stage::running;
    FiberScheduler::Meeting meeting = FiberScheduler::Meeting::sync;
    std::uint64_t bits = 0;
    std::size_t pieces = 0; ///< of shared memory, so far
    unsigned syncs = 0;
};

struct Piece {
    std::size_t begin;
    std::size_t bytes;
};

struct Rank {
    int rank;
};

/// Memory of a block: fresh for each block, so that ThreadSanitizer does not take two blocks' use of one
/// address for a race between them.
class Pages {
public:
    explicit Pages(std::size_t bytes) : bytes_(bytes) {
        void* const at =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) throw std::bad_alloc();
        at_ = static_cast<unsigned char*>(at);
        accessible(at_, bytes_);
    }
    ~Pages() {
        accessible(at_, bytes_);
        munmap(at_, bytes_);
    }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    [[nodiscard]] unsigned char* at(std::size_t offset) const { return at_ + offset; }

private:
    unsigned char* at_ = nullptr;
    std::size_t bytes_;
};

const char* name_of(FiberScheduler::Meeting meeting) {
    using M = FiberScheduler::Meeting;
    switch (meeting) {
    case M::sync: return "sync()";
    case M::sum_uint32: return "sum(uint32)";
    case M::sum_uint64: return "sum(uint64)";
    case M::sum_float: return "sum(float)";
    case M::sum_double: return "sum(double)";
    case M::max_uint32: return "max(uint32)";
    case M::max_float: return "max(float)";
    case M::max_double: return "max(double)";
    case M::exclusive_sum: return "exclusive_sum()";
    }
    return "?";
}

} // namespace

struct FiberScheduler::State {
    FiberOptions options;
    std::vector<Fiber> fibers;
    std::vector<Rank> order;
    std::vector<Piece> pieces;
    std::uint64_t shuffle_state;
    std::size_t shared_used = 0; ///< as a device would count
    std::size_t arena_used = 0;  ///< with spacing
    Pages* arena = nullptr;
    int block = 0;
    bool unwinding = false;
    std::exception_ptr failure;
    Task task = nullptr;
    void* task_context = nullptr;
    FiberScheduler* owner = nullptr;
    ucontext_t caller;
    SanitizerFiber caller_sanitizer;
    LaunchOrder launch_order;

    explicit State(const FiberOptions& o)
        : options(o), fibers(static_cast<std::size_t>(o.width)), order(static_cast<std::size_t>(o.width)),
          shuffle_state(o.seed) {}

    void run_block();
    void start(int rank, unsigned char* stack);
    void resume(int rank);
    void wait(int rank);
    void take_turns();
    void enter(int rank);
    void require_one_meeting();
    void hold_meeting();
    [[nodiscard]] std::uint64_t next_random();
    [[nodiscard]] Fiber& fiber(int rank) { return fibers[static_cast<std::size_t>(rank)]; }

    /// Where a fiber begins; makecontext passes integers only.
    static void trampoline(unsigned low, unsigned high, int rank) {
        const std::uint64_t address = std::uint64_t{high} << 32U | low;
        auto* const state = reinterpret_cast<State*>(static_cast<std::uintptr_t>(address));
        state->enter(rank);
    }
};

FiberScheduler::FiberScheduler(const FiberOptions& options) {
    if (options.width < 1 || options.width > warp_size * warp_size)
        throw Error(ErrorCode::internal, "fibers: found a block of " + std::to_string(options.width) +
                                             " threads, expected 1 to 1024");
    state_ = std::make_unique<State>(options);
    state_->owner = this;
}

FiberScheduler::~FiberScheduler() = default;

int FiberScheduler::width() const {
    return state_->options.width;
}

void FiberScheduler::run(int blocks, Task task, void* context) {
    State& s = *state_;
    s.task = task;
    s.task_context = context;
    s.caller_sanitizer.is_current();
    s.launch_order.begin(blocks);
    for (s.block = 0; s.block < blocks && !s.failure; ++s.block) s.run_block();
    s.launch_order.end();
    if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

void FiberScheduler::State::run_block() {
    const auto width = static_cast<std::size_t>(options.width);
    const Pages stacks(stack_bytes * width);
    const std::size_t arena_bytes = options.shared_bytes + most_pieces * 2 * spacing;
    Pages shared(arena_bytes);
    arena = &shared;
    // a volatile loop: ThreadSanitizer would note a memset
    for (std::size_t i = 0; i < arena_bytes; ++i) *static_cast<volatile unsigned char*>(shared.at(i)) = 0xff;
    forbidden(shared.at(0), arena_bytes);
    launch_order.block_begins();
    pieces.clear();
    shared_used = arena_used = 0;
    for (int r = 0; r < options.width; ++r) start(r, stacks.at(stack_bytes * static_cast<std::size_t>(r)));

    for (;;) {
        take_turns();
        if (!failure) require_one_meeting();
        if (failure || fiber(0).stage == Stage::left) break;
        hold_meeting();
    }
    unwinding = true;
    for (int r = 0; r < options.width; ++r)
        if (fiber(r).stage == Stage::waiting) resume(r);
    unwinding = false;

    for (int r = 0; r < options.width; ++r) {
        // fresh pages are 0, and stacks grow downwards
        const unsigned char* const end = stacks.at(stack_bytes * static_cast<std::size_t>(r));
        if (!failure && std::any_of(end, end + 64, [](unsigned char byte) { return byte != 0; }))
            failure = std::make_exception_ptr(
                Error(ErrorCode::internal, "fibers: a thread of a kernel used up its stack"));
    }
    arena = nullptr;
}

void FiberScheduler::State::start(int rank, unsigned char* stack) {
    Fiber& f = fiber(rank);
    f.stage = Stage::running;
    f.pieces = 0;
    f.syncs = 0;
    f.sanitizer.create(stack, stack_bytes,
                       fibers.size() * static_cast<std::size_t>(block) + static_cast<std::size_t>(rank));
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = stack;
    f.context.uc_stack.ss_size = stack_bytes;
    f.context.uc_link = nullptr;
    const auto address = std::uint64_t{reinterpret_cast<std::uintptr_t>(this)};
    makecontext(&f.context, reinterpret_cast<void (*)()>(trampoline), 3, static_cast<unsigned>(address),
                static_cast<unsigned>(address >> 32U), rank);
}

void FiberScheduler::State::resume(int rank) {
    Fiber& f = fiber(rank);
    f.stage = Stage::running;
    caller_sanitizer.leave_for(f.sanitizer);
    swapcontext(&caller, &f.context);
    caller_sanitizer.arrived();
}

void FiberScheduler::State::enter(int rank) {
    Fiber& f = fiber(rank);
    f.sanitizer.arrived_first(caller_sanitizer);
    launch_order.thread_begins();
    try {
        task(task_context, *owner, rank, block);
    } catch (const Unwind&) {
    } catch (...) {
        if (!failure) failure = std::current_exception();
    }
    launch_order.thread_ends();
    f.stage = Stage::left;
    f.sanitizer.leave_for_good(caller_sanitizer);
    setcontext(&caller);
}

void FiberScheduler::State::wait(int rank) {
    Fiber& f = fiber(rank);
    f.stage = Stage::waiting;
    f.sanitizer.leave_for(caller_sanitizer);
    swapcontext(&f.context, &caller);
    f.sanitizer.arrived();
    if (unwinding) throw Unwind();
}

std::uint64_t FiberScheduler::State::next_random() { // splitmix64
    std::uint64_t x = shuffle_state += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

void FiberScheduler::State::take_turns() {
    for (int r = 0; r < options.width; ++r) order[static_cast<std::size_t>(r)].rank = r;
    if (options.schedule == Schedule::reverse) std::reverse(order.begin(), order.end());
    if (options.schedule == Schedule::random)
        for (std::size_t left = order.size(); left > 1; --left)
            std::swap(order[left - 1], order[next_random() % left]);
    for (const Rank& turn : order) {
        if (fiber(turn.rank).stage != Stage::left) resume(turn.rank);
        if (failure) return;
    }
}

void FiberScheduler::State::require_one_meeting() {
    const Fiber& first = fiber(0);
    for (int r = 1; r < options.width; ++r) {
        const Fiber& f = fiber(r);
        if (f.stage == first.stage && (f.stage == Stage::left || f.meeting == first.meeting)) continue;
        const auto place = [](const Fiber& x) {
            return x.stage == Stage::left ? std::string("left")
                                          : std::string("waits at ") + name_of(x.meeting);
        };
        failure = std::make_exception_ptr(Divergence("divergence in block " + std::to_string(block) +
                                                     ": thread 0 " + place(first) + ", thread " +
                                                     std::to_string(r) + " " + place(f)));
        return;
    }
}

void FiberScheduler::State::hold_meeting() {
    const auto each = [this](auto result) {
        for (int r = 0; r < options.width; ++r) fiber(r).bits = result;
    };
    const auto fold = [&](auto combine) {
        std::uint64_t total = 0;
        for (int r = 0; r < options.width; ++r) total = combine(total, fiber(r).bits);
        return total;
    };
    const auto plus = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    const auto larger = [](std::uint64_t a, std::uint64_t b) { return a < b ? b : a; };
    switch (fiber(0).meeting) {
    case Meeting::sync: break;
    case Meeting::sum_uint32: each(std::uint64_t{static_cast<std::uint32_t>(fold(plus))}); break;
    case Meeting::sum_uint64: each(fold(plus)); break;
    case Meeting::max_uint32:
    case Meeting::max_float:
    case Meeting::max_double: each(fold(larger)); break;
    case Meeting::sum_float: {
        float values[warp_size * warp_size];
        for (int r = 0; r < options.width; ++r)
            values[r] = std::bit_cast<float>(static_cast<std::uint32_t>(fiber(r).bits));
        each(std::uint64_t{std::bit_cast<std::uint32_t>(tree_sum(values, options.width))});
        break;
    }
    case Meeting::sum_double: {
        double values[warp_size * warp_size];
        for (int r = 0; r < options.width; ++r) values[r] = std::bit_cast<double>(fiber(r).bits);
        each(std::bit_cast<std::uint64_t>(tree_sum(values, options.width)));
        break;
    }
    case Meeting::exclusive_sum: {
        std::uint32_t before = 0;
        for (int r = 0; r < options.width; ++r)
            before += static_cast<std::uint32_t>(std::exchange(fiber(r).bits, before));
        break;
    }
    }
}

std::uint64_t FiberScheduler::meet(int rank, Meeting meeting, std::uint64_t bits) {
    State& s = *state_;
    Fiber& f = s.fiber(rank);
    f.meeting = meeting;
    f.bits = bits;
    if (meeting != Meeting::sync) {
        s.wait(rank);
        return f.bits;
    }
    const unsigned round = f.syncs++;
    s.launch_order.thread_comes(s.block, round);
    s.wait(rank);
    s.launch_order.thread_goes_on(s.block, round);
    return 0;
}

void* FiberScheduler::shared(int rank, std::size_t bytes, std::size_t alignment) {
    State& s = *state_;
    Fiber& f = s.fiber(rank);
    const std::size_t index = f.pieces++;
    if (index == s.pieces.size()) {
        s.shared_used = (s.shared_used + alignment - 1) / alignment * alignment + bytes;
        if (s.shared_used > s.options.shared_bytes || index == most_pieces)
            throw Error(ErrorCode::internal, "shared memory: a kernel asks for " +
                                                 std::to_string(s.shared_used) + " bytes of " +
                                                 std::to_string(s.options.shared_bytes));
        s.pieces.push_back({s.arena_used, bytes});
        accessible(s.arena->at(s.arena_used), bytes);
        s.arena_used += (bytes + 2 * spacing - 1) / spacing * spacing;
    } else if (s.pieces[index].bytes != bytes) {
        throw Divergence("divergence in block " + std::to_string(s.block) + ": thread " +
                         std::to_string(rank) + " asks for " + std::to_string(bytes) +
                         " bytes of shared memory, another for " + std::to_string(s.pieces[index].bytes));
    }
    return s.arena->at(s.pieces[index].begin);
}

} // namespace kvproof::gpu
