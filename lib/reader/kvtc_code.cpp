#include "lib/reader/kvtc_code.hpp"

#include "lib/codec/half.hpp"
#include "lib/codec/half_bits.hpp"
#include "lib/codec/uniform_group.hpp"
#include "lib/error.hpp"

#include <string>

namespace kvproof {
namespace {

constexpr std::size_t field_bytes = 4; // shift and scale of a group and token

std::vector<double> coordinates_of(const PrincipalAxes& axes, std::span<const double> rows) {
    std::vector<double> out(rows.size());
    for (std::size_t at = 0; at < rows.size(); at += axes.dim)
        axes.coordinates(rows.subspan(at, axes.dim), std::span(out).subspan(at, axes.dim));
    return out;
}

/// Squared error of coding a group of every row.
double coding_error(std::span<const double> coordinates, std::size_t n, const CoordinateGroup& group) {
    double sum = 0;
    for (std::size_t at = group.first; at < coordinates.size(); at += n) {
        const std::span<const double> y = coordinates.subspan(at, group.size);
        const UniformGroup code = group.bits == 0 ? UniformGroup{} : fit_uniform_group(y, group.bits);
        for (const double entry : y) {
            const double off = entry - code.decode(code.code(entry, CodeRounding::half_even));
            sum += off * off;
        }
    }
    return sum;
}

void put_half(std::vector<std::uint8_t>& out, double half) {
    const std::uint16_t bits = half_bits(half);
    out.push_back(static_cast<std::uint8_t>(bits & 0xff));
    out.push_back(static_cast<std::uint8_t>(bits >> byte_bits));
}

double half_at(std::span<const std::uint8_t> bytes, std::size_t at) {
    return half_value(static_cast<std::uint16_t>(bytes[at] | (bytes[at + 1] << byte_bits)));
}

std::size_t code_bytes(std::size_t codes, int bits) {
    return (codes * static_cast<std::size_t>(bits) + byte_bits - 1) / byte_bits;
}

} // namespace

const GroupMenu& kvtc_menu() {
    static const GroupMenu menu{{1, 16, 64, 256, 1024}, {0, 2, 4, 8}, byte_bits * field_bytes};
    return menu;
}

KvtcBasis learn_kvtc(std::span<const double> rows, std::size_t n, std::uint64_t budget) {
    KvtcBasis out{principal_axes(rows, n), {}};
    const std::vector<double> coordinates = coordinates_of(out.axes, rows);
    out.plan = best_bit_plan(out.axes.rank(), budget, kvtc_menu(), [&](const CoordinateGroup& group) {
        return coding_error(coordinates, n, group);
    });
    return out;
}

KvtcCodes::KvtcCodes(const KvtcBasis& basis, std::span<const double> rows) {
    const std::size_t n = basis.axes.dim;
    const std::vector<double> coordinates = coordinates_of(basis.axes, rows);
    for (const CoordinateGroup& group : basis.plan.groups) {
        if (group.bits == 0) continue;
        Group coded{group.bits, group.size, {}, {}};
        for (std::size_t at = group.first; at < coordinates.size(); at += n) {
            const std::span<const double> y = std::span(coordinates).subspan(at, group.size);
            const UniformGroup code = fit_uniform_group(y, group.bits);
            put_half(coded.fields, code.offset);
            put_half(coded.fields, code.scale);
            for (const double entry : y) {
                saturated_ += nearest_half(entry).saturated ? 1 : 0;
                coded.codes.push_back(static_cast<std::uint8_t>(code.code(entry, CodeRounding::half_even)));
            }
        }
        groups_.push_back(std::move(coded));
    }
}

std::vector<std::uint8_t> KvtcCodes::bytes(std::size_t tokens) const {
    std::vector<std::uint8_t> out;
    for (const Group& group : groups_) {
        const auto fields = group.fields.begin();
        out.insert(out.end(), fields, fields + static_cast<std::ptrdiff_t>(field_bytes * tokens));
        const std::size_t start = out.size();
        const std::size_t codes = group.size * tokens;
        out.resize(start + code_bytes(codes, group.bits));
        for (std::size_t i = 0; i < codes; ++i) {
            const std::size_t bit = i * static_cast<std::size_t>(group.bits);
            // 2, 4 and 8 divide 8: no code lies across two bytes
            out[start + bit / byte_bits] |= static_cast<std::uint8_t>(group.codes[i] << (bit % byte_bits));
        }
    }
    return out;
}

std::vector<double> kvtc_decoded(const KvtcBasis& basis, std::span<const std::uint8_t> bytes,
                                 std::size_t tokens) {
    const std::size_t n = basis.axes.dim;
    std::vector<double> coordinates(tokens * n); // 0 where a group has no bits
    std::size_t fields = 0;
    for (const CoordinateGroup& group : basis.plan.groups) {
        if (group.bits == 0) continue;
        const std::size_t codes = fields + field_bytes * tokens;
        const std::size_t end = codes + code_bytes(group.size * tokens, group.bits);
        if (end > bytes.size())
            throw Error(ErrorCode::internal, "KVTC stream: found " + std::to_string(bytes.size()) +
                                                 " bytes, expected at least " + std::to_string(end));
        const unsigned mask = (1U << group.bits) - 1;
        for (std::size_t i = 0; i < group.size * tokens; ++i) {
            const std::size_t bit = i * static_cast<std::size_t>(group.bits);
            const unsigned code = (bytes[codes + bit / byte_bits] >> (bit % byte_bits)) & mask;
            const std::size_t token = i / group.size;
            const UniformGroup decoder{half_at(bytes, fields + field_bytes * token + 2),
                                       half_at(bytes, fields + field_bytes * token), group.bits};
            coordinates[token * n + group.first + i % group.size] = decoder.decode(code);
        }
        fields = end;
    }
    std::vector<double> rows(tokens * n);
    for (std::size_t at = 0; at < rows.size(); at += n)
        basis.axes.point(std::span(coordinates).subspan(at, n), std::span(rows).subspan(at, n));
    return rows;
}

} // namespace kvproof
