// Interval operations against MPFI's (the same ends, also on MPFR) and Arb's (balls: a midpoint and a
// radius), on the same operands: enclosures of rationals, one unit in the last place wide. Ours return a
// fresh interval; MPFI and Arb write into one that is there. A ratio above 1 says that the other is slower.
#include "lib/exact/interval.hpp"

#include <benchmark/benchmark.h>

#include <arb.h>
#include <arb_hypgeom.h>
#include <mpfi.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

namespace {

using namespace kvproof;

constexpr std::size_t operands = 1000;

class Peer { // MPFI's interval
public:
    explicit Peer(Bits bits) { mpfi_init2(value_, bits); }
    Peer(const Interval& x, Bits bits) : Peer(bits) { mpfi_interv_fr(value_, x.lower(), x.upper()); }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() { mpfi_clear(value_); }
    mpfi_ptr get() { return value_; }

private:
    mpfi_t value_;
};

class Ball { // Arb's
public:
    Ball() { arb_init(value_); }
    Ball(const Interval& x, Bits bits) : Ball() { arb_set_interval_mpfr(value_, x.lower(), x.upper(), bits); }
    Ball(const Ball&) = delete;
    Ball& operator=(const Ball&) = delete;
    ~Ball() { arb_clear(value_); }
    arb_ptr get() { return value_; }

private:
    arb_t value_;
};

/// The same operation three times. MPFI has no erf.
struct Operation {
    Interval (*ours)(const Interval& x, const Interval& y, Bits bits);
    void (*arb)(arb_t out, const arb_t x, const arb_t y, slong bits);
    void (*mpfi)(mpfi_ptr out, mpfi_srcptr x, mpfi_srcptr y);
};

const Operation addition = {add, arb_add,
                            [](mpfi_ptr out, mpfi_srcptr x, mpfi_srcptr y) { mpfi_add(out, x, y); }};
const Operation multiplication = {mul, arb_mul,
                                  [](mpfi_ptr out, mpfi_srcptr x, mpfi_srcptr y) { mpfi_mul(out, x, y); }};
const Operation exponential = {
    [](const Interval& x, const Interval& /*y*/, Bits bits) { return exp(x, bits); },
    [](arb_t out, const arb_t x, const arb_t /*y*/, slong bits) { arb_exp(out, x, bits); },
    [](mpfi_ptr out, mpfi_srcptr x, mpfi_srcptr /*y*/) { mpfi_exp(out, x); }};
const Operation error_function = {
    [](const Interval& x, const Interval& /*y*/, Bits bits) { return erf(x, bits); },
    [](arb_t out, const arb_t x, const arb_t /*y*/, slong bits) { arb_hypgeom_erf(out, x, bits); }, nullptr};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// CPU nanoseconds per call of f(i) over all operands.
template <class Function>
double nanoseconds(const Function& f) {
    const double begun = cpu_seconds();
    for (std::size_t i = 0; i < operands; ++i) f(i);
    return (cpu_seconds() - begun) * 1e9 / operands;
}

/// Each iteration runs ours, MPFI and Arb in turn over all operands; the counters are medians over the
/// iterations.
void against_mpfi_and_arb(benchmark::State& state, const Operation& operation) {
    const Bits bits = state.range(0);
    std::mt19937 random(1);
    std::vector<Interval> ours;
    for (std::size_t i = 0; i <= operands; ++i)
        ours.emplace_back(Rational(random() % 4'000'000 + 1000, 1'000'003), bits);
    std::vector<std::unique_ptr<Peer>> theirs;
    std::vector<std::unique_ptr<Ball>> balls;
    for (const Interval& x : ours) {
        theirs.push_back(std::make_unique<Peer>(x, bits));
        balls.push_back(std::make_unique<Ball>(x, bits));
    }
    Peer peer(bits);
    Ball ball;
    std::vector<double> our_times;
    std::vector<double> mpfi_times;
    std::vector<double> arb_times;
    for (auto _ : state) {
        our_times.push_back(nanoseconds(
            [&](std::size_t i) { benchmark::DoNotOptimize(operation.ours(ours[i], ours[i + 1], bits)); }));
        if (operation.mpfi != nullptr)
            mpfi_times.push_back(nanoseconds(
                [&](std::size_t i) { operation.mpfi(peer.get(), theirs[i]->get(), theirs[i + 1]->get()); }));
        arb_times.push_back(nanoseconds(
            [&](std::size_t i) { operation.arb(ball.get(), balls[i]->get(), balls[i + 1]->get(), bits); }));
        state.SetIterationTime(our_times.back() * 1e-9);
    }
    const double own = median(our_times);
    state.counters["ours_ns"] = own;
    state.counters["arb_ns"] = median(arb_times);
    state.counters["arb_over_ours"] = median(arb_times) / own;
    if (mpfi_times.empty()) return;
    state.counters["mpfi_ns"] = median(mpfi_times);
    state.counters["mpfi_over_ours"] = median(mpfi_times) / own;
}

// The time of an iteration is that of one operation, so iterations are few: the counters are what to read.
void settings(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgName("bits")->Arg(64)->Arg(128)->Arg(256)->UseManualTime()->Iterations(31);
}

BENCHMARK_CAPTURE(against_mpfi_and_arb, add, addition)->Apply(settings);
BENCHMARK_CAPTURE(against_mpfi_and_arb, mul, multiplication)->Apply(settings);
BENCHMARK_CAPTURE(against_mpfi_and_arb, exp, exponential)->Apply(settings);
BENCHMARK_CAPTURE(against_mpfi_and_arb, erf, error_function)->Apply(settings);

} // namespace

BENCHMARK_MAIN();
