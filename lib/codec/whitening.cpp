#include "lib/codec/whitening.hpp"

#include "lib/codec/eigen.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kvproof {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMajor>;

Rows rows(std::span<const double> entries, std::size_t columns) {
    return {entries.data(), static_cast<Eigen::Index>(entries.size() / columns),
            static_cast<Eigen::Index>(columns)};
}

/// 1 or -1: the sign of the entry of largest magnitude.
double leading_sign(const Eigen::VectorXd& column) {
    Eigen::Index largest = 0;
    for (Eigen::Index i = 1; i < column.size(); ++i)
        if (std::fabs(column[i]) > std::fabs(column[largest])) largest = i;
    return column[largest] < 0 ? -1 : 1;
}

} // namespace

void WhitenedSvd::encode(std::span<const double> k, std::span<double> h) const {
    for (std::size_t c = 0; c < width; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += k[i] * to_latent[c * width + i];
        h[c] = sum;
    }
}

void WhitenedSvd::decode(std::span<const double> h, std::span<double> k) const {
    std::ranges::fill(k, 0.0);
    for (std::size_t c = 0; c < width; ++c)
        for (std::size_t i = 0; i < width; ++i) k[i] += h[c] * from_latent[c * width + i];
}

InputRoot input_root(std::span<const double> x, std::size_t m) {
    const Rows inputs = rows(x, m);
    const Eigen::Index height = std::min(inputs.rows(), inputs.cols());
    const Eigen::MatrixXd scaled = inputs / std::sqrt(static_cast<double>(inputs.rows()));
    const Eigen::MatrixXd root =
        scaled.householderQr().matrixQR().topRows(height).triangularView<Eigen::Upper>();
    return {static_cast<std::size_t>(inputs.rows()), m, {root.data(), root.data() + root.size()}};
}

WhitenedSvd whitened_svd(const InputRoot& root, std::span<const double> w, std::size_t n) {
    const auto columns = static_cast<Eigen::Index>(root.inputs);
    const Eigen::Map<const Eigen::MatrixXd> triangle(
        root.columns.data(), static_cast<Eigen::Index>(root.columns.size()) / columns, columns);
    const Eigen::MatrixXd whitened = triangle * rows(w, n);
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(whitened, Eigen::ComputeThinV);

    WhitenedSvd out{n, 0, {}, {}, {}, {}};
    out.singular.resize(n);
    for (std::vector<double>* matrix : {&out.directions, &out.to_latent, &out.from_latent})
        matrix->resize(n * n);
    const Eigen::VectorXd& values = svd.singularValues();
    const double largest_side = static_cast<double>(std::max({root.tokens, root.inputs, n}));
    const double zero =
        values.size() == 0 ? 0 : values[0] * largest_side * std::numeric_limits<double>::epsilon();
    for (std::size_t c = 0; c < static_cast<std::size_t>(values.size()); ++c) {
        const double value = values[static_cast<Eigen::Index>(c)];
        if (!(value > zero)) break;
        ++out.rank;
        out.singular[c] = value;
        const Eigen::VectorXd column = svd.matrixV().col(static_cast<Eigen::Index>(c));
        const double sign = leading_sign(column);
        for (std::size_t i = 0; i < n; ++i) {
            const double entry = sign * column[static_cast<Eigen::Index>(i)];
            out.directions[c * n + i] = entry;
            out.to_latent[c * n + i] = entry / std::sqrt(value);
            out.from_latent[c * n + i] = entry * std::sqrt(value);
        }
    }
    return out;
}

} // namespace kvproof
