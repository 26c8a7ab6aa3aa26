// The largest eigenpair of tridiagonal matrices against Eigen, decoupled and graded ones among them.
#include "lib/attention/tridiagonal.hpp"

#include "tests/attention/matrices.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

using namespace kvproof;
using namespace kvproof::test;

// Once the solver's pivots were not those that the bisection had seen. Now and then one was zero and the
// vector became NaN: bounds stayed right but fell back to row sums.
TEST(Tridiagonal, agrees_with_eigen_and_is_never_lost) {
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
        Numbers numbers(seed);
        const std::size_t n = 1 + numbers.below(12);
        Eigen::VectorXd d(static_cast<Eigen::Index>(n));
        Eigen::VectorXd e(static_cast<Eigen::Index>(n - 1));
        const double grade = seed % 3 == 0 ? 1e-4 : 1;
        double size = 1;
        for (Eigen::Index i = 0; i < d.size(); ++i, size *= grade) {
            d[i] = size * numbers.normal();
            if (i < e.size())
                e[i] = seed % 3 == 1 && numbers.below(3) == 0 ? 0 : size * std::fabs(numbers.normal());
        }
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
        solver.computeFromTridiagonal(d, e, Eigen::EigenvaluesOnly);
        const double norm = solver.eigenvalues().cwiseAbs().maxCoeff();
        const TridiagonalPair pair = largest_of_tridiagonal({d.data(), n}, {e.data(), n - 1});
        ASSERT_NEAR(pair.value, solver.eigenvalues()[d.size() - 1], 1e-13 * norm) << seed;
        const Eigen::Map<const Eigen::VectorXd> x(pair.vector.data(), d.size());
        Eigen::VectorXd residual = d.cwiseProduct(x) - pair.value * x;
        for (Eigen::Index i = 0; i < e.size(); ++i) {
            residual[i] += e[i] * x[i + 1];
            residual[i + 1] += e[i] * x[i];
        }
        ASSERT_LE(residual.norm(), 1e-12 * norm) << seed;
        ASSERT_NEAR(x.norm(), 1, 1e-12) << seed;
    }
}
