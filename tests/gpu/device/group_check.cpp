// Every operation of a group, on warps and blocks of the device against fibers of the same width.
#include "gpu/device/device_array.hpp"
#include "gpu/group/collectives.hpp"
#include "gpu/group/fiber_group.hpp"
#include "tests/gpu/device/check.hpp"

#include <cmath>
#include <cstring>
#include <random>

namespace kvproof::gpu {

namespace {

template <class T>
std::vector<T> any_numbers(std::size_t count, std::mt19937_64& next) {
    std::vector<T> out(count);
    for (T& x : out) x = static_cast<T>(next());
    return out;
}

/// Of all signs and many sizes, with zeros and subnormals, and no sum that overflows.
template <class Number>
std::vector<Number> any_reals(std::size_t count, std::mt19937_64& next) {
    std::vector<Number> out(count);
    const int range = next() % 2 == 0 ? 8 : 140;
    for (Number& x : out) {
        const auto mantissa = static_cast<Number>(static_cast<std::int32_t>(next()));
        x = next() % 8 == 0 ? Number(-0.0) : std::ldexp(mantissa, -static_cast<int>(next() % range) - 31);
    }
    return out;
}

/// The results in memory of one kind.
template <template <class> class Array>
struct Results {
    explicit Results(std::size_t n)
        : sums(n), largest(n), before(n), longs(n), floats(n), largest_floats(n), doubles(n),
          largest_doubles(n), reversed(n) {}
    Array<std::uint32_t> sums, largest, before;
    Array<std::uint64_t> longs;
    Array<float> floats, largest_floats;
    Array<double> doubles, largest_doubles;
    Array<std::uint32_t> reversed;
};

template <class T>
using HostArray = std::vector<T>;

template <class T>
bool same_bits(const std::vector<T>& a, const DeviceArray<T>& b) {
    const std::vector<T> host = b.to_host();
    return std::memcmp(a.data(), host.data(), a.size() * sizeof(T)) == 0;
}

void compare_width(Comparison& comparison, int width, std::mt19937_64& next) {
    const auto n = static_cast<std::size_t>(width);
    const auto integers = any_numbers<std::uint32_t>(n, next);
    const auto longs = any_numbers<std::uint64_t>(n, next);
    const auto floats = any_reals<float>(n, next);
    const auto doubles = any_reals<double>(n, next);

    Results<HostArray> host(n);
    const CollectiveInputs in = {integers.data(), longs.data(), floats.data(), doubles.data()};
    const CollectiveResults out = {
        host.sums.data(),    host.largest.data(),         host.before.data(),
        host.longs.data(),   host.floats.data(),          host.largest_floats.data(),
        host.doubles.data(), host.largest_doubles.data(), host.reversed.data()};
    run_fibers({.width = width}, 1, [&](FiberGroup& g, int) { try_collectives(g, in, out); });

    const DeviceArray<std::uint32_t> device_integers{std::span(integers)};
    const DeviceArray<std::uint64_t> device_longs{std::span(longs)};
    const DeviceArray<float> device_floats{std::span(floats)};
    const DeviceArray<double> device_doubles{std::span(doubles)};
    const Results<DeviceArray> device(n);
    launch_collectives(width,
                       {device_integers.get(), device_longs.get(), device_floats.get(), device_doubles.get()},
                       {device.sums.get(), device.largest.get(), device.before.get(), device.longs.get(),
                        device.floats.get(), device.largest_floats.get(), device.doubles.get(),
                        device.largest_doubles.get(), device.reversed.get()});
    const auto expect = [&](bool equal, const char* what) {
        comparison.expect(equal, std::string(what) + " of " + std::to_string(width) + " threads");
    };
    expect(same_bits(host.sums, device.sums), "sums of uint32");
    expect(same_bits(host.largest, device.largest), "the largest uint32");
    expect(same_bits(host.before, device.before), "exclusive sums");
    expect(same_bits(host.longs, device.longs), "sums of uint64");
    expect(same_bits(host.floats, device.floats), "sums of floats");
    expect(same_bits(host.largest_floats, device.largest_floats), "the largest float");
    expect(same_bits(host.doubles, device.doubles), "sums of doubles");
    expect(same_bits(host.largest_doubles, device.largest_doubles), "the largest double");
    expect(same_bits(host.reversed, device.reversed), "shared memory");
}

void compare(Comparison& comparison, Size size) {
    std::mt19937_64 next(1);
    for (int k = 0; k < (size == Size::quick ? 2 : 50); ++k)
        for (const int width : {32, 96, 1024}) compare_width(comparison, width, next);
}

const RegisterCheck registered({.name = "group", .compare = compare});

} // namespace

} // namespace kvproof::gpu
