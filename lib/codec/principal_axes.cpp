#include "lib/codec/principal_axes.hpp"

#include "lib/codec/eigen.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace kvproof {
namespace {

using Eigen::Index;

double row_count(std::span<const double> rows, std::size_t dim) {
    const std::size_t count = dim == 0 ? 0 : rows.size() / dim;
    return static_cast<double>(count);
}

std::vector<double> mean_of(std::span<const double> rows, std::size_t dim) {
    std::vector<double> mean(dim);
    for (std::size_t at = 0; at < rows.size(); at += dim)
        for (std::size_t c = 0; c < dim; ++c) mean[c] += rows[at + c];
    for (double& entry : mean) entry /= row_count(rows, dim);
    return mean;
}

/// Rows in order, so that the sums do not depend on how a library blocks a product.
Eigen::MatrixXd covariance(std::span<const double> rows, const std::vector<double>& mean) {
    const std::size_t dim = mean.size();
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(static_cast<Index>(dim), static_cast<Index>(dim));
    std::vector<double> off(dim);
    for (std::size_t at = 0; at < rows.size(); at += dim) {
        for (std::size_t c = 0; c < dim; ++c) off[c] = rows[at + c] - mean[c];
        for (std::size_t a = 0; a < dim; ++a) {
            double* const column = out.data() + a * dim;
            for (std::size_t b = a; b < dim; ++b) column[b] += off[a] * off[b];
        }
    }
    return out / row_count(rows, dim); // the solver looks at the lower triangle alone
}

} // namespace

std::size_t PrincipalAxes::rank() const {
    const double least = static_cast<double>(dim) * 0x1p-52 * (variances.empty() ? 0 : variances.front());
    return static_cast<std::size_t>(
        std::ranges::count_if(variances, [least](double variance) { return variance > least; }));
}

void PrincipalAxes::coordinates(std::span<const double> x, std::span<double> y) const {
    for (std::size_t c = 0; c < dim; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < dim; ++i) sum += axes[c * dim + i] * (x[i] - mean[i]);
        y[c] = sum;
    }
}

void PrincipalAxes::point(std::span<const double> y, std::span<double> x) const {
    std::ranges::copy(mean, x.begin());
    for (std::size_t c = 0; c < dim; ++c)
        for (std::size_t i = 0; i < dim; ++i) x[i] += axes[c * dim + i] * y[c];
}

PrincipalAxes principal_axes(std::span<const double> rows, std::size_t dim) {
    PrincipalAxes out{dim, mean_of(rows, dim), std::vector<double>(dim * dim), std::vector<double>(dim)};
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance(rows, out.mean));
    for (std::size_t c = 0; c < dim; ++c) {
        const auto column = static_cast<Index>(dim - 1 - c); // eigenvalues come ascending
        const double* const axis = solver.eigenvectors().data() + column * static_cast<Index>(dim);
        std::size_t largest = 0;
        for (std::size_t i = 1; i < dim; ++i)
            if (std::fabs(axis[i]) > std::fabs(axis[largest])) largest = i;
        const double sign = axis[largest] < 0 ? -1 : 1;
        for (std::size_t i = 0; i < dim; ++i) out.axes[c * dim + i] = sign * axis[i];
        // what rounding leaves of a variance of zero may be negative
        out.variances[c] = std::max(solver.eigenvalues()[column], 0.0);
    }
    return out;
}

} // namespace kvproof
