#include "sim/montecarlo/observed_layer.hpp"

#include <cmath>
#include <limits>

namespace kvproof {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

std::vector<double> transformed(const std::vector<double>& vectors, const Transform& transform) {
    std::vector<double> out = vectors;
    transform.apply_rows(out);
    return out;
}

/// The query heads of a KV head, and its places in arrays.
struct Group {
    Group(const CaptureShape& shape, std::size_t kv_head, int visible)
        : g(kv_head), d(static_cast<std::size_t>(shape.dim)), stored(static_cast<std::size_t>(shape.tokens)),
          tokens(static_cast<std::size_t>(visible)),
          sharing(static_cast<std::size_t>(shape.query_heads / shape.kv_heads)) {}

    [[nodiscard]] std::size_t first() const { return g * sharing; }
    [[nodiscard]] std::size_t last() const { return (g + 1) * sharing; }
    /// v'_j or k'_j within [G, T, d_h].
    [[nodiscard]] const double* row(const std::vector<double>& vectors, std::size_t j) const {
        return vectors.data() + (g * stored + j) * d;
    }
    [[nodiscard]] const double* read_value(const TwoStageCall& call, std::size_t j) const {
        return call.values.data() + (g * tokens + j) * d;
    }

    std::size_t g;
    std::size_t d;
    std::size_t stored;
    std::size_t tokens;
    std::size_t sharing;
};

} // namespace

ObservedLayer::ObservedLayer(const CaptureLayer& full, const CaptureLayer& calibration,
                             const Transform& key_transform, const Transform& value_transform,
                             const NestedCode& code)
    : layer(full), encoded(layer, calibrate(calibration, key_transform, value_transform), key_transform,
                           value_transform, code),
      keys(transformed(full.k, key_transform)), values(transformed(full.v, value_transform)) {}

double Energies::interaction() const {
    return error > 0 ? (error - diagonal) / error : undefined;
}

Energies key_energies(const ObservedLayer& layer, const TwoStageCall& call, std::size_t kv_head) {
    const Group group(layer.layer.shape, kv_head, call.tokens);
    const std::vector<double>& scale = layer.encoded.calibration().keys.scale;
    const std::vector<double>& distortion = layer.encoded.code().distortion;
    const auto dim = static_cast<double>(group.d);
    Energies out;
    for (std::size_t h = group.first(); h < group.last(); ++h) {
        const double* q = call.queries.data() + h * group.d;
        for (std::size_t j = 0; j < group.tokens; ++j) {
            const double* key = group.row(layer.keys, j);
            double sum = 0;
            for (std::size_t c = 0; c < group.d; ++c) {
                const double read = call.keys[(kv_head * group.d + c) * group.tokens + j];
                const double term = q[c] * (key[c] - read);
                sum += term;
                out.diagonal += term * term / dim;
            }
            out.error += sum * sum / dim;
        }
        for (std::size_t c = 0; c < group.d; ++c) {
            const double weight = q[c] * scale[kv_head * group.d + c];
            out.score += static_cast<double>(group.tokens) / dim * weight * weight *
                         distortion[call.key_schedule.depths[kv_head * group.d + c]];
        }
    }
    return out;
}

Energies value_energies(const ObservedLayer& layer, const TwoStageReader& reader, const TwoStageCall& call,
                        std::size_t kv_head) {
    const Group group(layer.layer.shape, kv_head, call.tokens);
    const std::vector<double>& distortion = layer.encoded.code().distortion;
    const double s = reader.value_scale(static_cast<int>(kv_head));
    Energies out;
    for (std::size_t h = group.first(); h < group.last(); ++h) {
        const std::vector<double>& alpha = call.attention[h].probabilities;
        std::vector<double> total(group.d);
        for (std::size_t j = 0; j < group.tokens; ++j) {
            const double* value = group.row(layer.values, j);
            const double* read = group.read_value(call, j);
            const double square = alpha[j] * alpha[j];
            for (std::size_t c = 0; c < group.d; ++c) {
                const double residual = value[c] - read[c];
                total[c] += alpha[j] * residual;
                out.diagonal += square * residual * residual;
            }
            out.score += s * square * distortion[call.value_schedule.depths[kv_head * group.tokens + j]];
        }
        for (const double entry : total) out.error += entry * entry;
    }
    return out;
}

double output_error(const ObservedLayer& layer, const TwoStageCall& call, std::size_t kv_head) {
    const Group group(layer.layer.shape, kv_head, call.tokens);
    const double root = std::sqrt(static_cast<double>(group.d));
    double out = 0;
    for (std::size_t h = group.first(); h < group.last(); ++h) {
        std::vector<double> logits(group.tokens);
        for (std::size_t j = 0; j < group.tokens; ++j) {
            const double* key = group.row(layer.keys, j);
            for (std::size_t c = 0; c < group.d; ++c) logits[j] += call.queries[h * group.d + c] * key[c];
            logits[j] /= root;
        }
        const std::vector<double> alpha = softmax(logits).probabilities;
        std::vector<double> exact(group.d);
        for (std::size_t j = 0; j < group.tokens; ++j)
            for (std::size_t c = 0; c < group.d; ++c) exact[c] += alpha[j] * group.row(layer.values, j)[c];
        for (std::size_t c = 0; c < group.d; ++c) {
            const double off = exact[c] - call.outputs[h * group.d + c];
            out += off * off;
        }
    }
    return out;
}

double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() < 2) return undefined;
    int balance = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const int order_a = (a[i] > a[j]) - (a[i] < a[j]);
            const int order_b = (b[i] > b[j]) - (b[i] < b[j]);
            balance += order_a * order_b;
        }
    return balance / (static_cast<double>(a.size()) * static_cast<double>(a.size() - 1) / 2);
}

} // namespace kvproof
