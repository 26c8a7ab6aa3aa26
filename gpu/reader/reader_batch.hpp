#pragma once

#include "gpu/reader/reader_layer.hpp"

namespace kvproof::gpu {

/// Calls that are answered at once. Pointers, those within the calls and their layers too, are to memory of
/// the device. The other numbers are the largest among the calls.
struct ReaderBatch {
    const ReaderCall* calls = nullptr;
    std::uint32_t count = 0;
    std::uint32_t kv_heads = 0;
    std::uint32_t query_heads = 0;
    std::uint32_t tokens = 0;
};

/// Starts the work on the device and returns. Throws Error(internal) where the device refuses it.
void launch_reader(const ReaderBatch& batch);

} // namespace kvproof::gpu
