#pragma once
// Real layers, encoded and stored, for the device's reader.

#include "gpu/from_library/reader_storage.hpp"
#include "tests/attention/reader_case.hpp"
#include "tests/gpu/call_memory.hpp"

#include <memory>
#include <vector>

namespace kvproof::test {

/// A case whose numbers are all binary32 and whose transforms are the identity: the same layer in both
/// arithmetics.
inline ReaderCase single_case(CaseSizes sizes, std::uint64_t seed) {
    sizes.hadamard = false;
    ReaderCase out = random_case(sizes, seed);
    for (Vector* const part : {&out.layer.q, &out.layer.k, &out.layer.v, &out.queries})
        for (double& x : *part) x = static_cast<float>(x);
    out.calibration = gpu::single_calibration(out.calibration);
    return out;
}

/// A case, encoded and stored, with budgets: what a run needs.
struct Prepared {
    Prepared(const CaseSizes& sizes, std::uint64_t seed)
        : input(single_case(sizes, seed)),
          encoded(input.layer, input.calibration, input.keys, input.values, input.code),
          storage(encoded, ValueScale::unit), tokens(static_cast<std::uint32_t>(sizes.tokens)) {}

    /// A call on one thread.
    [[nodiscard]] std::unique_ptr<CallMemory> run() const {
        auto memory = std::make_unique<CallMemory>(
            storage.view(), std::vector<float>(input.queries.begin(), input.queries.end()), tokens);
        memory->call.key_budget = static_cast<std::uint32_t>(key_budget);
        memory->call.value_budget = static_cast<std::uint32_t>(value_budget);
        memory->call.pool_per_head = pool_per_head;
        run_reader(serial_launch(), *memory);
        return memory;
    }

    ReaderCase input;
    EncodedLayer encoded;
    gpu::ReaderStorage storage;
    std::uint32_t tokens;
    std::uint64_t key_budget = 0;
    std::uint64_t value_budget = 0;
    bool pool_per_head = false;
};

/// k^ and v^ as the device's reader works with them: prefixes by the library, one rounding.
struct Decoded {
    std::vector<float> keys;   ///< [G, d, T]
    std::vector<float> values; ///< [G, T, d]
};

inline void decode_into(std::vector<float>& out, const BitPlanes& planes, const NestedCode& code, int t,
                        std::size_t count, const auto& mean, const auto& scale) {
    std::vector<std::uint8_t> prefixes(count);
    static_cast<void>(planes.read_prefix(t, count, prefixes));
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(std::fma(static_cast<float>(scale(i)),
                               code.codebook.centroids[static_cast<std::size_t>(t)][prefixes[i]],
                               static_cast<float>(mean(i))));
}

inline Decoded decode_all(const Prepared& prepared, const CallMemory& memory) {
    Decoded out;
    const std::size_t d = memory.layer.dim;
    const std::size_t tokens = memory.call.tokens;
    const Calibration& calibration = prepared.input.calibration;
    for (std::size_t g = 0; g < memory.layer.kv_heads; ++g) {
        for (std::size_t c = 0; c < d; ++c)
            decode_into(
                out.keys, prepared.encoded.key_planes(static_cast<int>(g), static_cast<int>(c)),
                prepared.input.code, memory.key_depths[g * d + c], tokens,
                [&](std::size_t) { return calibration.keys.mean[g * d + c]; },
                [&](std::size_t) { return calibration.keys.scale[g * d + c]; });
        for (std::size_t j = 0; j < tokens; ++j)
            decode_into(
                out.values, prepared.encoded.value_planes(static_cast<int>(g), static_cast<int>(j)),
                prepared.input.code, memory.value_depths[g * tokens + j], d,
                [&](std::size_t c) { return calibration.values.mean[g * d + c]; },
                [&](std::size_t c) { return calibration.values.scale[g * d + c]; });
    }
    return out;
}

} // namespace kvproof::test
