#include "lib/codec/deflate.hpp"

#include "lib/error.hpp"

#include <limits>
#include <string>
#include <zlib.h>

namespace kvproof {
namespace {

constexpr int level = 9;
constexpr int raw_window = -15; // 2^15 bytes, no header
constexpr int memory = 8;       // zlib's default

[[noreturn]] void fail(const std::string& found) {
    throw Error(ErrorCode::internal, "DEFLATE stream: found " + found + ", expected a whole one");
}

/// zlib reads through a pointer that is not const and writes nothing there.
void set_buffers(z_stream& stream, std::span<const std::uint8_t> in, std::vector<std::uint8_t>& out) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    if (in.size() > most || out.size() > most) fail("more than 4 GiB");
    stream.next_in = const_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
}

} // namespace

std::vector<std::uint8_t> deflated(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return {};
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, raw_window, memory, Z_DEFAULT_STRATEGY) != Z_OK)
        fail("no memory");
    std::vector<std::uint8_t> out(deflateBound(&stream, static_cast<uLong>(bytes.size())));
    set_buffers(stream, bytes, out);
    const int status = deflate(&stream, Z_FINISH);
    const uLong written = stream.total_out;
    deflateEnd(&stream);
    if (status != Z_STREAM_END) fail("status " + std::to_string(status));
    out.resize(written);
    return out;
}

std::vector<std::uint8_t> inflated(std::span<const std::uint8_t> stream, std::size_t size) {
    std::vector<std::uint8_t> out(size);
    if (size == 0 && stream.empty()) return out;
    z_stream state{};
    if (inflateInit2(&state, raw_window) != Z_OK) fail("no memory");
    set_buffers(state, stream, out);
    const int status = inflate(&state, Z_FINISH);
    const bool whole = status == Z_STREAM_END && state.total_out == size && state.avail_in == 0;
    const uLong written = state.total_out;
    inflateEnd(&state);
    if (!whole) fail("status " + std::to_string(status) + " after " + std::to_string(written) + " bytes");
    return out;
}

std::uint64_t deflate_bound(std::uint64_t n) {
    return n == 0 ? 0 : n + (n >> 12) + (n >> 14) + (n >> 25) + 7;
}

} // namespace kvproof
