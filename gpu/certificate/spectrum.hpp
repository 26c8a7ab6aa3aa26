#pragma once
// The largest eigenvalue of a symmetric positive semidefinite matrix from above: a guess from below by
// Lanczos, a proof by a Cholesky factorisation just above it, and Gershgorin's discs where that fails.

#include "gpu/certificate/certificate_call.hpp"
#include "gpu/group/strands.hpp"
#include "lib/portable/philox.hpp"
#include "lib/random/distributions.hpp"

#include <cmath>
#include <cstddef>

namespace kvproof::gpu {

/// Memory for one matrix, all threads' own: in device memory, or in shared memory where it fits.
struct SpectrumWork {
    double* basis = nullptr;   ///< lanczos_basis(d) numbers
    double* shifted = nullptr; ///< [d, d]
};

inline constexpr std::uint32_t lanczos_most = 32;
[[nodiscard]] KVPROOF_DEVICE std::uint32_t lanczos_steps(std::uint32_t d) {
    return d < lanczos_most ? d : lanczos_most;
}
[[nodiscard]] KVPROOF_DEVICE std::uint32_t lanczos_basis(std::uint32_t d) {
    return (lanczos_steps(d) + 1) * d;
}

/// Shared memory of largest_eigenvalue_up, in numbers.
inline constexpr int spectrum_shared = strands + 3 * static_cast<int>(lanczos_most);

/// The largest eigenvalue of the tridiagonal matrix with this diagonal and these off-diagonal entries, up to
/// rounding: 128 points at once part the range, and a point is above all eigenvalues where every pivot of T -
/// x is negative (Sturm).
template <Group G>
KVPROOF_KERNEL double tridiagonal_top(G& g, const double* diagonal, const double* off, std::uint32_t n) {
    double low = diagonal[0];
    double high = diagonal[0];
    for (std::uint32_t i = 0; i < n; ++i) {
        const double before = i > 0 ? off[i - 1] : 0;
        const double after = i + 1 < n ? off[i] : 0;
        low = diagonal[i] > low ? diagonal[i] : low;
        const double edge = diagonal[i] + before + after;
        high = edge > high ? edge : high;
    }
    for (int round = 0; round < 8; ++round) {
        const double step = (high - low) / 129;
        std::uint32_t below = 0; // points that some eigenvalue reaches
        for (int p = g.rank(); p < 128; p += g.size()) {
            const double x = low + (p + 1) * step;
            double pivot = diagonal[0] - x;
            bool above = pivot < 0;
            for (std::uint32_t i = 1; i < n; ++i) {
                pivot = diagonal[i] - x - off[i - 1] * (off[i - 1] / pivot);
                above = above && pivot < 0;
            }
            below += above ? 0 : 1;
        }
        below = g.sum(below);
        high = below < 128 ? low + (below + 1) * step : high;
        low = low + below * step;
    }
    return high;
}

/// The largest Ritz value of Lanczos steps from a fixed vector without structure, orthogonalised twice
/// against all vectors so far. A guess: nothing is promised.
template <Group G>
KVPROOF_KERNEL double lanczos_top(G& g, const double* matrix, std::uint32_t d, double* basis,
                                  double* shared) {
    const auto rank = static_cast<std::uint32_t>(g.rank());
    const auto size = static_cast<std::uint32_t>(g.size());
    double* const scratch = shared;
    double* const products = scratch + strands;
    double* const diagonal = products + lanczos_most;
    double* const off = diagonal + lanczos_most;
    for (std::uint32_t a = rank; a < d; a += size) {
        std::uint32_t w[4] = {a, 0, 0, 0};
        portable::philox_rounds(w[0], w[1], w[2], w[3], 0, 0);
        basis[a] = symmetric53(w[0], w[1]);
    }
    g.sync();
    double norm = std::sqrt(strand_sum(g, d, scratch, [&](std::uint32_t a) { return basis[a] * basis[a]; }));
    for (std::uint32_t a = rank; a < d; a += size) basis[a] /= norm;
    g.sync();
    const std::uint32_t steps = lanczos_steps(d);
    std::uint32_t done = 0;
    double scale = 0;
    while (done < steps) {
        const double* const v = basis + std::size_t{done} * d;
        double* const w = basis + std::size_t{done + 1} * d;
        for (std::uint32_t a = rank; a < d; a += size) {
            double sum = 0;
            for (std::uint32_t b = 0; b < d; ++b)
                sum = portable::fused(matrix[std::size_t{b} * d + a], v[b], sum);
            w[a] = sum;
        }
        g.sync();
        double alpha = 0;
        for (int pass = 0; pass < 2; ++pass) {
            for (std::uint32_t i = rank; i <= done; i += size) {
                double sum = 0;
                for (std::uint32_t a = 0; a < d; ++a)
                    sum = portable::fused(basis[std::size_t{i} * d + a], w[a], sum);
                products[i] = sum;
            }
            g.sync();
            alpha += products[done];
            for (std::uint32_t a = rank; a < d; a += size) {
                double x = w[a];
                for (std::uint32_t i = 0; i <= done; ++i)
                    x = portable::fused(-products[i], basis[std::size_t{i} * d + a], x);
                w[a] = x;
            }
            g.sync();
        }
        norm = std::sqrt(strand_sum(g, d, scratch, [&](std::uint32_t a) { return w[a] * w[a]; }));
        if (rank == 0) {
            diagonal[done] = alpha;
            off[done] = norm;
        }
        ++done;
        scale = alpha > scale ? alpha : scale;
        if (!(norm > scale * 0x1p-45)) break; // the space is exhausted; every thread sees the same norm
        for (std::uint32_t a = rank; a < d; a += size) w[a] /= norm;
        g.sync();
    }
    g.sync();
    return tridiagonal_top(g, diagonal, off, done);
}

/// Whether the Cholesky factorisation of fl(mu - A) runs to its end: column by column, each entry one chain
/// of fused operations in ascending order. `work` [d, d] is overwritten.
template <Group G>
KVPROOF_KERNEL bool cholesky_succeeds(G& g, const double* matrix, std::uint32_t d, double mu, double* work) {
    const auto rank = static_cast<std::uint32_t>(g.rank());
    const auto size = static_cast<std::uint32_t>(g.size());
    for (std::uint32_t i = rank; i < d * d; i += size)
        work[i] = i % (d + 1) == 0 ? mu - matrix[i] : -matrix[i];
    g.sync();
    for (std::uint32_t k = 0; k < d; ++k) {
        const double pivot = work[std::size_t{k} * d + k];
        if (!(pivot > 0)) return false; // every thread sees the same pivot
        const double root = std::sqrt(pivot);
        for (std::uint32_t i = k + 1 + rank; i < d; i += size) work[std::size_t{i} * d + k] /= root;
        g.sync();
        const std::uint32_t left = d - k - 1;
        for (std::uint32_t at = rank; at < left * left; at += size) {
            const std::uint32_t i = k + 1 + at / left;
            const std::uint32_t c = k + 1 + at % left;
            if (c > i) continue;
            double& entry = work[std::size_t{i} * d + c];
            entry = portable::fused(-work[std::size_t{i} * d + k], work[std::size_t{c} * d + k], entry);
        }
        g.sync();
    }
    return true;
}

/// What is known of a computed matrix A~ [d, d] beside the matrix B it stands for: |A~_ab - A_ab| <=
/// gamma_{entry} y_a y_b summed over rows y with sum ||y||^2 = tr A, and lambda_max(B) <= lambda_max(A) / (1
/// - gamma_{factor})^2. Both counts are below 2^40.
struct MatrixRoundings {
    std::uint64_t entry = 0;
    std::uint64_t factor = 0;
};

/// An upper bound of lambda_max(B). With u = 2^-53, mu the point of the proof (or the least of the discs and
/// the trace), d at most 2^12:
///
/// - A success of the factorisation of F = fl(mu - A~) gives lambda_min(F) >= -gamma_{d+1} / (1 -
///   gamma_{d+1}) tr F (cholesky.hpp in lib/attention, whose argument knows nothing of the order and allows
///   fused operations), tr F <= d mu; the rounding of mu - A~_aa is at most u mu: together at most
///   (d + 1) d mu 2^-52 (1 + 2^-30) above mu.
/// - |A~ - A| has norm at most gamma_entry tr A <= entry 2^-52 tr A~.
/// - The division costs a factor of at most 1 + factor 2^-51.
///
/// The formula below has each of the three constants doubled; what is left over is more than its own dozen
/// roundings (factor is at least 4) and than whatever underflowed: a trace that is not 0 is above 2^-420.
template <Group G>
KVPROOF_KERNEL SpectrumTop largest_eigenvalue_up(G& g, const double* matrix, std::uint32_t d,
                                                 const MatrixRoundings& known, const SpectrumWork& work) {
    double* const shared = g.template shared<double>(spectrum_shared);
    const double trace =
        strand_sum(g, d, shared, [&](std::uint32_t a) { return matrix[std::size_t{a} * d + a]; });
    if (!(trace > 0)) return {0, trace == 0 ? 0 : trace, false}; // all entries are 0, or there is a NaN
    double widest = 0;
    for (auto a = static_cast<std::uint32_t>(g.rank()); a < d; a += static_cast<std::uint32_t>(g.size())) {
        double sum = 0;
        for (std::uint32_t b = 0; b < d; ++b) {
            const double entry = matrix[std::size_t{b} * d + a];
            sum += entry < 0 ? -entry : entry;
        }
        widest = sum > widest ? sum : widest;
    }
    widest = g.max(widest);
    SpectrumTop out;
    out.guess = lanczos_top(g, matrix, d, work.basis, shared);
    double top = (widest < trace ? widest : trace) * (1 + d * 0x1p-51);
    // from a thousand times what a converged guess may be off to what hard spectra need
    for (double above = 0x1p-30; above <= 0x1p-6 && !out.by_factorisation; above *= 0x1p8) {
        const double mu = out.guess * (1 + above);
        if (!(mu < top)) break;
        if (!cholesky_succeeds(g, matrix, d, mu, work.shifted)) continue;
        out.by_factorisation = true;
        top = mu;
    }
    const double lost = (d + 1.0) * d * top * 0x1p-51 + static_cast<double>(known.entry) * trace * 0x1p-51;
    out.upper = (top + lost) * (1 + static_cast<double>(known.factor) * 0x1p-50);
    return out;
}

} // namespace kvproof::gpu
