// The two-stage reader and its certificate on the device against the bodies on the processor, bit for bit.
#include "gpu/device_runs.hpp"
#include "tests/gpu/call_memory.hpp"
#include "tests/gpu/certificate_memory.hpp"
#include "tests/gpu/device/check.hpp"
#include "tests/gpu/device/device_call.hpp"

#include <cstring>

namespace kvproof::gpu {

namespace {

/// Whether copy `i` of an array on the device holds these bytes.
template <class T>
bool equals(const DeviceArray<T>& array, std::size_t i, const std::vector<T>& expected) {
    const std::vector<T> all = array.to_host();
    return all.size() >= (i + 1) * expected.size() &&
           std::memcmp(all.data() + i * expected.size(), expected.data(), expected.size() * sizeof(T)) == 0;
}

/// By value: padding has no bits of its own.
bool same(const SpectrumTop& a, const SpectrumTop& b) {
    return a.guess == b.guess && a.upper == b.upper && a.by_factorisation == b.by_factorisation;
}

bool same(const HeadCertificate& a, const HeadCertificate& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
bool all_same(const DeviceArray<T>& array, std::size_t i, const std::vector<T>& expected) {
    const std::vector<T> all = array.to_host();
    for (std::size_t k = 0; k < expected.size(); ++k)
        if (!same(all[i * expected.size() + k], expected[k])) return false;
    return true;
}

void compare_layer(Comparison& comparison, const test::MadeUpLayer& input, const std::string& what) {
    constexpr std::uint32_t calls = 2;
    DeviceCalls device(input, calls, 1, true);
    for (auto* const array :
         {&device.key_weights, &device.logits, &device.attention, &device.value_weights, &device.outputs})
        array->poison();
    device.key_depths.poison();
    device.value_depths.poison();
    device.read();
    test::CallMemory expected(input.layer, input.queries, input.tokens);
    input.budgets(expected.call);
    test::run_reader(test::serial_launch(), expected);
    const std::vector<double> distortions(most_depth + 1, 0.25);
    test::CertificateMemory certificate(expected, input.keys, input.values, distortions);
    test::run_certificate(test::serial_launch(), certificate);
    for (std::size_t i = 0; i < calls; ++i) {
        comparison.expect(equals(device.key_weights, i, expected.key_weights), "key weights, " + what);
        comparison.expect(equals(device.key_depths, i, expected.key_depths), "key depths, " + what);
        comparison.expect(equals(device.logits, i, expected.logits), "logits, " + what);
        comparison.expect(equals(device.attention, i, expected.attention), "attention, " + what);
        comparison.expect(equals(device.value_weights, i, expected.value_weights), "value weights, " + what);
        comparison.expect(equals(device.value_depths, i, expected.value_depths), "value depths, " + what);
        comparison.expect(equals(device.outputs, i, expected.outputs), "outputs, " + what);
    }
    device.certify();
    for (std::size_t i = 0; i < calls; ++i) {
        comparison.expect(all_same(device.tops, i, certificate.tops), "eigenvalues, " + what);
        comparison.expect(all_same(device.heads, i, certificate.heads), "certificates, " + what);
    }
}

/// What the command line asks, of the device and of the processor.
void compare_replies(Comparison& comparison, std::uint64_t seed) {
    const test::MadeUpLayer input(seed);
    const std::vector<double> distortions(most_depth + 1, 0.25);
    const ExactVectors exact{input.keys.data(), input.values.data()};
    ReaderCall budgets;
    input.budgets(budgets);
    const ReaderQuestion question{.queries = input.queries,
                                  .tokens = input.tokens,
                                  .key_budget = budgets.key_budget,
                                  .value_budget = budgets.value_budget,
                                  .pool_per_head = budgets.pool_per_head};
    const ReaderReply expected = serve_here(input.layer, exact, distortions)(question);
    const ReaderReply found = serve_on_device(input.layer, exact, distortions)(question);
    bool equal = found.key_depths == expected.key_depths && found.value_depths == expected.value_depths &&
                 found.spent == expected.spent && found.logits == expected.logits &&
                 found.attention == expected.attention && found.outputs == expected.outputs &&
                 found.certificates.size() == expected.certificates.size();
    for (std::size_t i = 0; equal && i < expected.certificates.size(); ++i)
        equal = same(found.certificates[i], expected.certificates[i]);
    comparison.expect(equal, "replies, made up by seed " + std::to_string(seed));
}

void compare(Comparison& comparison, Size size) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) compare_replies(comparison, seed);
    for (std::uint64_t seed = 0; seed < (size == Size::quick ? 6U : 60U); ++seed)
        compare_layer(comparison, test::MadeUpLayer(seed), "made up by seed " + std::to_string(seed));
    if (size == Size::quick) return;
    ReaderLayer shape;
    shape.kv_heads = 2;
    shape.query_heads = 8;
    shape.dim = 128;
    shape.tokens = 3000;
    shape.depth = 8;
    compare_layer(comparison, test::MadeUpLayer(1, shape), "d_h 128, 3000 tokens");
}

/// 64 sequences of 8 KV heads, 8192 tokens, d_h 128, a query head a KV head, mean depth 4.
void time(const std::function<void(const Timing&)>& measure, Size size) {
    const bool quick = size == Size::quick;
    ReaderLayer shape;
    shape.kv_heads = quick ? 1 : 8;
    shape.query_heads = shape.kv_heads;
    shape.dim = quick ? 16 : 128;
    shape.tokens = quick ? 64 : 8192;
    shape.depth = 8;
    const std::uint32_t calls = quick ? 2 : 64;
    test::MadeUpLayer input(1, shape);
    input.mean_depth = 4;
    const DeviceCalls device(input, calls, calls, true);
    const double scalars = static_cast<double>(calls) * shape.kv_heads * shape.tokens * shape.dim;
    const double bits = 2 * input.mean_depth * scalars;
    const std::string sizes = std::to_string(calls) + " x " + std::to_string(shape.kv_heads) + " heads, T " +
                              std::to_string(shape.tokens) + ", d_h " + std::to_string(shape.dim);
    device.read(); // what follows needs depths
    measure({.kernel = "two-stage reader",
             .size = sizes,
             .bytes = bits / 8,
             // a bit of a prefix: a load and two operations; a scalar: its centroid and two fused operations
             .operations = 3 * bits + 2 * 8 * scalars,
             .launch = [&] { device.read(); }});
    const double gram = scalars * shape.dim / 2; // fused, in double; half of each symmetric matrix
    measure({.kernel = "certificate",
             .size = sizes,
             .bytes = bits / 8 + 8 * scalars,
             .operations = 3 * 2 * gram,
             .launch = [&] { device.certify(); }});
}

const RegisterCheck registered({.name = "reader", .compare = compare, .time = time});

} // namespace

} // namespace kvproof::gpu
