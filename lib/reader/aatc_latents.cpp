#include "lib/reader/aatc_latents.hpp"

#include "lib/reader/projection_factors.hpp"
#include "lib/reader/rotated_keys.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

AatcLatents transforms(const CaptureShape& shape, const Tensor& x, const Tensor& w, int head_groups) {
    const std::size_t scalars = static_cast<std::size_t>(shape.kv_heads) * shape.dim;
    const std::size_t width = scalars / static_cast<std::size_t>(head_groups);
    const InputRoot root = input_root(x.values, x.shape[1]);
    AatcLatents out;
    for (std::size_t first = 0; first < scalars; first += width)
        out.groups.push_back(projection_factors(root, w, first, width));
    out.weight.resize(scalars);
    return out;
}

/// sigma^2 and s of every channel from the rows [T, G d_h] of the calibration.
void learn_spread(AatcLatents& latents, std::vector<double> rows) {
    constexpr std::size_t scale_percent = 99;
    const std::size_t channels = latents.weight.size();
    std::vector<double> h(channels);
    for (std::size_t at = 0; at < rows.size(); at += channels) {
        latents.encode(std::span(rows).subspan(at, channels), h);
        std::ranges::copy(h, rows.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const std::size_t tokens = rows.size() / channels;
    const auto count = static_cast<double>(tokens);
    for (std::size_t c = 0; c < channels; ++c) {
        double mean = 0;
        double variance = 0;
        std::vector<double> magnitudes;
        for (std::size_t at = c; at < rows.size(); at += channels) {
            mean += rows[at];
            magnitudes.push_back(std::fabs(rows[at]));
        }
        mean /= count;
        for (std::size_t at = c; at < rows.size(); at += channels)
            variance += (rows[at] - mean) * (rows[at] - mean);
        latents.variance.push_back(variance / count);
        latents.scale.push_back(percentile(std::move(magnitudes), scale_percent));
    }
}

/// For every latent channel and query head: the row of B that this head's KV head reads, d_h entries.
template <class Visit>
void each_row_of_a_head(const AatcLatents& latents, const CaptureShape& shape, Visit&& visit) {
    const auto d = static_cast<std::size_t>(shape.dim);
    const std::size_t width = latents.width();
    for (int head = 0; head < shape.query_heads; ++head) {
        const std::size_t place = static_cast<std::size_t>(shape.kv_head_of(head)) * d;
        const WhitenedSvd& group = latents.groups[place / width];
        for (std::size_t c = 0; c < width; ++c)
            visit(head, place / width * width + c,
                  std::span(group.from_latent).subspan(c * width + place % width, d));
    }
}

double product(std::span<const double> x, std::span<const double> y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

} // namespace

void AatcLatents::encode(std::span<const double> heads, std::span<double> h) const {
    for (std::size_t n = 0; n < groups.size(); ++n)
        groups[n].encode(heads.subspan(n * width(), width()), h.subspan(n * width(), width()));
}

void AatcLatents::decode(std::span<const double> h, std::span<double> heads) const {
    for (std::size_t n = 0; n < groups.size(); ++n)
        groups[n].decode(h.subspan(n * width(), width()), heads.subspan(n * width(), width()));
}

AatcLatents aatc_keys(const CaptureLayer& layer, const Projections& projections, const Rotary& rotary,
                      int head_groups) {
    const CaptureShape& shape = layer.shape;
    AatcLatents out = transforms(shape, projections.x, projections.wk, head_groups);
    learn_spread(out, unturned_key_rows(layer, rotary));
    std::vector<double> query(static_cast<std::size_t>(shape.dim));
    for (int row = 0; row < shape.queries; ++row) {
        int turned = -1;
        each_row_of_a_head(out, shape, [&](int head, std::size_t channel, std::span<const double> b) {
            if (head != turned) {
                std::ranges::copy(layer.query(head, row), query.begin());
                rotary.turn(query, -shape.position(row));
                turned = head;
            }
            const double reach = product(b, query);
            out.weight[channel] += reach * reach / shape.queries;
        });
    }
    return out;
}

AatcLatents aatc_values(const CaptureLayer& layer, const Projections& projections, int head_groups) {
    const CaptureShape& shape = layer.shape;
    AatcLatents out = transforms(shape, projections.x, projections.wv, head_groups);
    learn_spread(out, value_rows(layer));
    const auto d = static_cast<std::size_t>(shape.dim);
    const std::size_t model = projections.wo.shape[1];
    std::vector<double> row(model);
    each_row_of_a_head(out, shape, [&](int head, std::size_t channel, std::span<const double> b) {
        std::ranges::fill(row, 0.0);
        const double* const wo = projections.wo.values.data() + static_cast<std::size_t>(head) * d * model;
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t m = 0; m < model; ++m) row[m] += b[i] * wo[i * model + m];
        out.weight[channel] += product(row, row);
    });
    return out;
}

double percentile(std::vector<double> numbers, std::size_t percent) {
    std::ranges::sort(numbers);
    const std::size_t place = (numbers.size() - 1) * percent;
    const std::size_t below = place / 100;
    const double beyond = static_cast<double>(place % 100) / 100;
    if (beyond == 0) return numbers[below];
    return numbers[below] + beyond * (numbers[below + 1] - numbers[below]);
}

} // namespace kvproof
