#include "lib/reader/aatc_latents.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

/// The columns first .. first + width - 1 of a [rows, columns] matrix.
std::vector<double> columns_of(const Tensor& matrix, std::size_t first, std::size_t width) {
    const std::size_t columns = matrix.shape[1];
    std::vector<double> out;
    for (std::size_t at = first; at < matrix.values.size(); at += columns)
        out.insert(out.end(), matrix.values.begin() + static_cast<std::ptrdiff_t>(at),
                   matrix.values.begin() + static_cast<std::ptrdiff_t>(at + width));
    return out;
}

AatcLatents transforms(const CaptureShape& shape, const Tensor& x, const Tensor& w, int head_groups) {
    const std::size_t scalars = static_cast<std::size_t>(shape.kv_heads) * shape.dim;
    const std::size_t width = scalars / static_cast<std::size_t>(head_groups);
    AatcLatents out;
    for (std::size_t first = 0; first < scalars; first += width)
        out.groups.push_back(whitened_svd(x.values, columns_of(w, first, width), x.shape[1], width));
    out.weight.resize(scalars);
    return out;
}

/// sigma^2 and s of every channel from the latents [T, G d_h] of the calibration.
void learn_spread(AatcLatents& latents, const std::vector<std::vector<double>>& tokens) {
    constexpr std::size_t scale_percent = 99;
    const auto count = static_cast<double>(tokens.size());
    for (std::size_t c = 0; c < latents.weight.size(); ++c) {
        double mean = 0;
        double variance = 0;
        std::vector<double> magnitudes;
        for (const std::vector<double>& h : tokens) {
            mean += h[c];
            magnitudes.push_back(std::fabs(h[c]));
        }
        mean /= count;
        for (const std::vector<double>& h : tokens) variance += (h[c] - mean) * (h[c] - mean);
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

std::vector<double> unturned_keys(const CaptureLayer& layer, int token, const Rotary& rotary) {
    std::vector<double> out;
    for (int g = 0; g < layer.shape.kv_heads; ++g) {
        const auto key = layer.key(g, token);
        out.insert(out.end(), key.begin(), key.end());
        rotary.turn(std::span(out).last(key.size()), -token);
    }
    return out;
}

std::vector<double> token_values(const CaptureLayer& layer, int token) {
    std::vector<double> out;
    for (int g = 0; g < layer.shape.kv_heads; ++g) {
        const auto value = layer.value(g, token);
        out.insert(out.end(), value.begin(), value.end());
    }
    return out;
}

AatcLatents aatc_keys(const CaptureLayer& layer, const Projections& projections, const Rotary& rotary,
                      int head_groups) {
    const CaptureShape& shape = layer.shape;
    AatcLatents out = transforms(shape, projections.x, projections.wk, head_groups);
    std::vector<std::vector<double>> latents(static_cast<std::size_t>(shape.tokens),
                                             std::vector<double>(out.weight.size()));
    for (int t = 0; t < shape.tokens; ++t)
        out.encode(unturned_keys(layer, t, rotary), latents[static_cast<std::size_t>(t)]);
    learn_spread(out, latents);
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
    std::vector<std::vector<double>> latents(static_cast<std::size_t>(shape.tokens),
                                             std::vector<double>(out.weight.size()));
    for (int t = 0; t < shape.tokens; ++t)
        out.encode(token_values(layer, t), latents[static_cast<std::size_t>(t)]);
    learn_spread(out, latents);
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
