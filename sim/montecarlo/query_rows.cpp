#include "sim/montecarlo/query_rows.hpp"

#include "lib/error.hpp"
#include "lib/portable/exp.hpp"

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

/// C of M = C C', M [d, d] positive semidefinite. A pivot that is rounding alone leaves its column 0.
std::vector<double> triangle(const std::vector<double>& m, std::size_t d) {
    std::vector<double> c(d * d);
    for (std::size_t j = 0; j < d; ++j) {
        double pivot = m[j * d + j];
        for (std::size_t k = 0; k < j; ++k) pivot -= c[j * d + k] * c[j * d + k];
        if (!(pivot > m[j * d + j] * static_cast<double>(d) * 0x1p-52)) continue;
        const double root = std::sqrt(pivot);
        c[j * d + j] = root;
        for (std::size_t i = j + 1; i < d; ++i) {
            double rest = m[i * d + j];
            for (std::size_t k = 0; k < j; ++k) rest -= c[i * d + k] * c[j * d + k];
            c[i * d + j] = rest / root;
        }
    }
    return c;
}

HeadOutput head_output(const CaptureLayer& layer, const Tensor& wo, int head) {
    const auto d = static_cast<std::size_t>(layer.shape.dim);
    const std::size_t model = wo.shape[1];
    const double* rows = wo.values.data() + static_cast<std::size_t>(head) * d * model;
    std::vector<double> gram(d * d);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            gram[i * d + j] = gram[j * d + i] = eightfold_dot(rows + i * model, rows + j * model, model);
    HeadOutput out;
    out.projection = triangle(gram, d);
    for (std::size_t c = 0; c < d; ++c) out.lengths.push_back(gram[c * d + c]);
    const int kv_head = layer.shape.kv_head_of(head);
    for (int t = 0; t < layer.shape.tokens; ++t) {
        const auto value = layer.value(kv_head, t);
        const std::vector<double> moved = projected(out, {value.begin(), value.end()});
        out.outputs.insert(out.outputs.end(), moved.begin(), moved.end());
    }
    return out;
}

Tensor output_projection(const CaptureSource& capture, const CaptureSource* weights, int layer) {
    std::optional<Tensor> wo = capture.matrix(layer, "wo");
    const CaptureSource& from = wo || weights == nullptr ? capture : *weights;
    if (!wo && layer < from.shape().layers) wo = from.matrix(layer, "wo");
    const std::string name = from.source() + ": tensor \"layers." + std::to_string(layer) + ".wo\": found ";
    const CaptureShape& shape = capture.shape();
    const auto rows = static_cast<std::size_t>(shape.query_heads) * static_cast<std::size_t>(shape.dim);
    if (!wo)
        throw Error(ErrorCode::bad_capture,
                    name +
                        "none, expected the output projection [H d_h, d_model] (a capture without it takes "
                        "that of --calibration)");
    if (wo->shape[0] != rows)
        throw Error(ErrorCode::bad_capture,
                    name + std::to_string(wo->shape[0]) + " rows, expected H d_h = " + std::to_string(rows));
    return *std::move(wo);
}

} // namespace

double eightfold_dot(const double* x, const double* y, std::size_t n) {
    double s[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t j = 0; j < 8; ++j) s[j] += x[i + j] * y[i + j];
    for (std::size_t j = 0; i + j < n; ++j) s[j] += x[i + j] * y[i + j];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

std::vector<double> projected(const HeadOutput& head, const std::vector<double>& x) {
    const std::size_t d = x.size();
    std::vector<double> out(d);
    for (std::size_t c = 0; c < d; ++c)
        for (std::size_t j = 0; j <= c; ++j) out[j] += x[c] * head.projection[c * d + j];
    return out;
}

double projected_square(const HeadOutput& head, const std::vector<double>& x) {
    const std::vector<double> out = projected(head, x);
    return eightfold_dot(out.data(), out.data(), out.size());
}

QueryRows::QueryRows(const CaptureSource& capture, const CaptureSource* weights) : shape_(capture.shape()) {
    if (shape_.queries == 0)
        throw Error(ErrorCode::bad_capture, capture.source() + ": found no queries, expected some");
    for (int l = 0; l < shape_.layers; ++l) {
        layers_.push_back(capture.layer(l));
        const Tensor wo = output_projection(capture, weights, l);
        for (int h = 0; h < shape_.query_heads; ++h) heads_.push_back(head_output(layers_.back(), wo, h));
    }
}

std::size_t QueryRows::count() const {
    return heads_.size() * static_cast<std::size_t>(shape_.queries);
}

QueryRow QueryRows::row(std::size_t index) const {
    const auto queries = static_cast<std::size_t>(shape_.queries);
    const auto heads = static_cast<std::size_t>(shape_.query_heads);
    QueryRow out;
    out.query = static_cast<int>(index % queries);
    out.head = static_cast<int>(index / queries % heads);
    out.layer = static_cast<int>(index / queries / heads);
    out.kv_head = shape_.kv_head_of(out.head);
    out.tokens = static_cast<std::size_t>(shape_.position(out.query)) + 1;
    return out;
}

std::vector<double> QueryRows::query(const QueryRow& row) const {
    const auto q = layer(row.layer).query(row.head, row.query);
    std::vector<double> out(q.begin(), q.end());
    const double root = std::sqrt(static_cast<double>(shape_.dim));
    for (double& x : out) x /= root;
    return out;
}

void QueryRows::step(const QueryRow& row, DecodeStep& out) const {
    const CaptureLayer& tokens = layer(row.layer);
    const HeadOutput& made = head(row);
    const std::size_t n = row.tokens;
    const auto d = static_cast<std::size_t>(shape_.dim);
    out.tokens = n;
    out.dim = d;
    out.query = query(row);
    out.logits.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        out.logits[i] =
            eightfold_dot(out.query.data(), tokens.key(row.kv_head, static_cast<int>(i)).data(), d);
    const double most = *std::ranges::max_element(out.logits);
    out.weights.resize(n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) out.weights[i] = portable::exp(out.logits[i] - most);
    for (std::size_t i = 0; i < n; ++i) total += out.weights[i];
    for (std::size_t i = 0; i < n; ++i) out.weights[i] /= total;
    out.output.assign(d, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < d; ++c) out.output[c] += out.weights[i] * made.outputs[i * d + c];
    out.offsets.resize(n * d);
    out.distances.resize(n);
    out.farthest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double* u = out.offsets.data() + i * d;
        for (std::size_t c = 0; c < d; ++c) u[c] = made.outputs[i * d + c] - out.output[c];
        out.distances[i] = eightfold_dot(u, u, d);
        out.farthest = std::max(out.farthest, out.distances[i]);
    }
}

} // namespace kvproof
