// The whitened SVD against the other route of Proposition 1 (eigenvectors of K'K), against the printed
// formula with a Cholesky factor, by hand, and where the calibration is singular.
#include "lib/codec/whitening.hpp"

#include "lib/codec/eigen.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

using namespace kvproof;

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix random_matrix(Eigen::Index rows, Eigen::Index columns, std::mt19937_64& next) {
    std::normal_distribution<double> normal;
    Matrix out(rows, columns);
    for (Eigen::Index i = 0; i < out.size(); ++i) out.data()[i] = normal(next);
    return out;
}

std::span<const double> entries(const Matrix& matrix) {
    return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

WhitenedSvd decompose(const Matrix& x, const Matrix& w) {
    return whitened_svd(input_root(entries(x), static_cast<std::size_t>(w.rows())), entries(w),
                        static_cast<std::size_t>(w.cols()));
}

Matrix square(const std::vector<double>& values, std::size_t n) {
    return Eigen::Map<const Matrix>(values.data(), static_cast<Eigen::Index>(n),
                                    static_cast<Eigen::Index>(n));
}

Matrix singular_matrix(const WhitenedSvd& svd) {
    return Eigen::Map<const Eigen::VectorXd>(svd.singular.data(), static_cast<Eigen::Index>(svd.width))
        .asDiagonal();
}

TEST(Whitening, by_hand) {
    // Sigma_X = 4, L = 2, L'W = (6, 8): S = 10 and P = (.6, .8)
    const WhitenedSvd one = decompose(Matrix{{2}}, Matrix{{3, 4}});
    EXPECT_EQ(one.rank, 1u);
    EXPECT_NEAR(one.singular[0], 10, 1e-14);
    EXPECT_EQ(one.singular[1], 0);
    EXPECT_NEAR(one.directions[0], .6, 1e-15);
    EXPECT_NEAR(one.directions[1], .8, 1e-15);
    EXPECT_NEAR(one.from_latent[1], .8 * std::sqrt(10), 1e-14);
    EXPECT_NEAR(one.to_latent[1], .8 / std::sqrt(10), 1e-15);
    // Sigma_X = diag(1, 9)/2 orders the channels of the identity: second first
    const WhitenedSvd two = decompose(Matrix{{1, 0}, {0, 3}}, Matrix{{1, 0}, {0, -1}});
    EXPECT_NEAR(two.singular[0], 3 / std::sqrt(2), 1e-15);
    EXPECT_NEAR(two.singular[1], 1 / std::sqrt(2), 1e-15);
    EXPECT_EQ(two.directions, (std::vector<double>{0, 1, 1, 0})); // signs: the largest entry is positive
    const WhitenedSvd none = decompose(Matrix{{0, 0}, {0, 0}}, Matrix{{1, 0}, {0, 1}});
    EXPECT_EQ(none.rank, 0u);
    EXPECT_EQ(none.from_latent, std::vector<double>(4, 0));
}

struct Case {
    Matrix x;
    Matrix w;
};

Case any_case() {
    std::mt19937_64 next(*rc::gen::arbitrary<std::uint64_t>());
    const int m = *rc::gen::inRange(1, 12);
    const int n = *rc::gen::inRange(1, 12);
    const int tokens = *rc::gen::inRange(1, 40);
    return {random_matrix(tokens, m, next), random_matrix(m, n, next)};
}

/// Proposition 1: the same right singular vectors as K = XW, whatever the ranks; a column of P is an
/// eigenvector of K'K/T to its eigenvalue S^2. Both routes are backward stable: residuals are a modest
/// multiple of 2^-52 times the norm, which n^2 exceeds.
RC_GTEST_PROP(WhiteningProperty, is_the_pca_of_the_cache, ()) {
    const auto [x, w] = any_case();
    const WhitenedSvd svd = decompose(x, w);
    const Matrix cache = x * w;
    const Matrix gram = cache.transpose() * cache / static_cast<double>(x.rows());
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram);
    const auto n = static_cast<Eigen::Index>(svd.width);
    const double slack = 0x1p-52 * 1000 * (1 + (x.transpose() * x).norm() * w.squaredNorm());
    for (Eigen::Index c = 0; c < n; ++c) {
        const double s = svd.singular[static_cast<std::size_t>(c)];
        RC_ASSERT(std::fabs(s * s - solver.eigenvalues()[n - 1 - c]) <= slack);
        const Eigen::VectorXd p = square(svd.directions, svd.width).row(c).transpose();
        RC_ASSERT((gram * p - s * s * p).norm() <= slack);
        // the mutant: another scale of the channel
        if (s * s > 100 * slack) RC_ASSERT((gram * p - 1.5 * s * s * p).norm() > slack);
    }
    const Matrix p = square(svd.directions, svd.width).topRows(static_cast<Eigen::Index>(svd.rank));
    RC_ASSERT((p * p.transpose() - Matrix::Identity(p.rows(), p.rows())).norm() <= 0x1p-42);
    RC_ASSERT(svd.rank <= static_cast<std::size_t>(std::min({x.rows(), w.rows(), w.cols()})));
}

/// The printed construction, with a Cholesky factor: the same latents of the calibration; A'Sigma_X A = S,
/// and H'H = T S, not S (Step 1 prints both).
TEST(Whitening, is_what_the_paper_prints) {
    std::mt19937_64 next(5);
    const Matrix x = random_matrix(60, 8, next);
    for (const int n : {5, 8}) {
        const Matrix w = random_matrix(8, n, next);
        const WhitenedSvd svd = decompose(x, w);
        ASSERT_EQ(svd.rank, static_cast<std::size_t>(n));
        const Matrix sigma = x.transpose() * x / 60;
        const Eigen::LLT<Matrix> cholesky(sigma);
        const Matrix upper = cholesky.matrixU();
        const Eigen::JacobiSVD<Eigen::MatrixXd> printed(Eigen::MatrixXd(upper * w),
                                                        Eigen::ComputeThinU | Eigen::ComputeThinV);
        const Matrix a = upper.triangularView<Eigen::Upper>().solve(
            Matrix(printed.matrixU() * printed.singularValues().cwiseSqrt().asDiagonal()));
        const Matrix latents = x * w * square(svd.to_latent, svd.width).transpose();
        const Matrix expected = x * a;
        for (Eigen::Index c = 0; c < n; ++c)
            EXPECT_NEAR(std::fabs(latents.col(c).dot(expected.col(c))), latents.col(c).squaredNorm(), 1e-10);
        EXPECT_LT((latents.transpose() * latents - 60 * singular_matrix(svd)).norm(), 1e-10);
        EXPECT_LT((a.transpose() * sigma * a - singular_matrix(svd)).norm(), 1e-11);
        // W = AB
        EXPECT_LT((w * square(svd.to_latent, svd.width).transpose() * square(svd.from_latent, svd.width) - w)
                      .norm(),
                  1e-12);
    }
}

/// Fewer tokens than inputs: Sigma_X has no inverse, and rows outside what X spans still come back.
TEST(Whitening, decodes_what_the_calibration_never_saw) {
    std::mt19937_64 next(6);
    const Matrix x = random_matrix(7, 12, next);
    const Matrix w = random_matrix(12, 6, next);
    const WhitenedSvd svd = decompose(x, w);
    ASSERT_EQ(svd.rank, 6u);
    const Matrix fresh = random_matrix(1, 12, next) * w;
    std::vector<double> h(6);
    std::vector<double> back(6);
    svd.encode(entries(fresh), h);
    svd.decode(h, back);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(back[i], fresh(0, static_cast<Eigen::Index>(i)), 1e-12);
    // with three tokens three directions of the cache are out of reach, and come back as 0
    const WhitenedSvd few = decompose(x.topRows(3), w);
    ASSERT_EQ(few.rank, 3u);
    few.encode(entries(fresh), h);
    EXPECT_EQ(std::vector<double>(h.begin() + 3, h.end()), std::vector<double>(3, 0));
    few.decode(h, back);
    const Matrix p = square(few.directions, 6).topRows(3);
    const Matrix projected = fresh * p.transpose() * p;
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_NEAR(back[i], projected(0, static_cast<Eigen::Index>(i)), 1e-12);
}

/// Blocks of Eigen's products decide the order of its sums: they are its own, not those of this processor.
TEST(Whitening, does_not_ask_for_the_caches_of_the_processor) {
    EXPECT_EQ(Eigen::l1CacheSize(), Eigen::internal::defaultL1CacheSize);
    EXPECT_EQ(Eigen::l2CacheSize(), Eigen::internal::defaultL2CacheSize);
    EXPECT_EQ(Eigen::nbThreads(), 1);
}

/// The ablation: without the inputs' covariance the latents of the calibration stay correlated.
TEST(Whitening, decorrelates_where_a_plain_svd_does_not) {
    std::mt19937_64 next(7);
    const Matrix mixing = random_matrix(6, 6, next);
    const Matrix x = random_matrix(200, 6, next) * mixing;
    const Matrix w = random_matrix(6, 6, next);
    const auto correlation = [&](const WhitenedSvd& svd) {
        const Matrix h = x * w * square(svd.to_latent, 6).transpose();
        const Matrix gram = h.transpose() * h / 200;
        const Matrix diagonal = gram.diagonal().asDiagonal();
        return (gram - diagonal).norm() / gram.norm();
    };
    EXPECT_LT(correlation(decompose(x, w)), 1e-12);
    EXPECT_GT(correlation(decompose(Matrix::Identity(6, 6), w)), 1e-2);
}

} // namespace
