// Exit status 1 where the certificate's bodies differ from plain loops in long double, or from themselves at
// another width; small, to be compiled once for each mutant of them.
#include "tests/gpu/certificate_memory.hpp"
#include "tests/gpu/made_up_layer.hpp"

using namespace kvproof;
using namespace kvproof::gpu;
using namespace kvproof::test;

namespace {

using Real = long double;
using Rows = std::vector<std::vector<Real>>;

/// lambda_max of the Gram matrix of the rows' columns, by many power steps: from below, and near.
Real largest(const Rows& rows) {
    const std::size_t d = rows.front().size();
    std::vector<Real> x(d);
    for (std::size_t c = 0; c < d; ++c) x[c] = 1 + Real(c % 7) / 9;
    Real value = 0;
    for (int step = 0; step < 400; ++step) {
        std::vector<Real> y(d);
        for (const auto& row : rows) {
            Real dot = 0;
            for (std::size_t c = 0; c < d; ++c) dot += row[c] * x[c];
            for (std::size_t c = 0; c < d; ++c) y[c] += dot * row[c];
        }
        Real norm = 0;
        Real square = 0;
        for (std::size_t c = 0; c < d; ++c) {
            norm += y[c] * y[c];
            square += x[c] * x[c];
        }
        if (norm == 0) return 0;
        value = std::sqrt(norm / square);
        for (std::size_t c = 0; c < d; ++c) x[c] = y[c] / std::sqrt(norm);
    }
    return value;
}

Rows rows_of(const MadeUpLayer& of, const CallMemory& call, GramKind kind, std::uint32_t g) {
    const std::uint32_t d = of.layer.dim;
    Rows out(of.tokens, std::vector<Real>(d));
    std::vector<Real> mean(d);
    for (std::uint32_t j = 0; j < of.tokens; ++j)
        for (std::uint32_t c = 0; c < d; ++c) {
            const std::uint32_t i = g * d + c;
            const std::size_t value = (std::size_t{g} * of.layer.tokens + j) * d + c;
            const auto scalar = [&](std::uint32_t t, const std::uint32_t* planes, std::uint32_t stride,
                                    std::uint32_t item, float centre, float scale) {
                std::uint32_t cell = 0;
                for (std::uint32_t p = 0; p < t; ++p)
                    cell = 2 * cell + (planes[p * stride + item / 32] >> (item % 32) & 1U);
                return std::fma(scale, of.centroids[(1U << t) - 1 + cell], centre);
            };
            if (kind == key_gram)
                out[j][c] = Real(of.keys[std::size_t{i} * of.layer.tokens + j]) -
                            scalar(call.key_depths[i],
                                   of.key_planes.data() +
                                       std::size_t{i} * of.layer.depth * ((of.layer.tokens + 31) / 32),
                                   (of.layer.tokens + 31) / 32, j, of.key_mean[i], of.key_scale[i]);
            else if (kind == value_gram)
                out[j][c] = Real(of.values[value]) -
                            scalar(call.value_depths[std::size_t{g} * of.tokens + j],
                                   of.value_planes.data() + (std::size_t{g} * of.layer.tokens + j) *
                                                                of.layer.depth * ((d + 31) / 32),
                                   (d + 31) / 32, c, of.value_mean[i], of.value_scale[i]);
            else
                out[j][c] = of.values[value];
            mean[c] += out[j][c] / of.tokens;
        }
    for (auto& row : out) {
        Real square = 0;
        for (const Real x : row) square += x * x;
        for (std::uint32_t c = 0; c < d; ++c) {
            if (kind == spread_gram) row[c] -= mean[c];
            if (kind == value_gram && square > 0) row[c] /= std::sqrt(square);
        }
    }
    for (std::uint32_t c = 0; kind == key_gram && c < d; ++c) {
        Real square = 0;
        for (const auto& row : out) square += row[c] * row[c];
        for (auto& row : out) row[c] = square > 0 ? row[c] / std::sqrt(square) : 0;
    }
    return out;
}

bool near(Real found, Real expected) {
    return std::abs(found - expected) <= 1e-11L * std::abs(expected);
}

bool is_right(const MadeUpLayer& of, const CallMemory& call, const CertificateMemory& certificate) {
    const ReaderLayer& layer = of.layer;
    const std::uint32_t sharing = layer.query_heads / layer.kv_heads;
    for (std::uint32_t g = 0; g < layer.kv_heads; ++g) {
        for (const GramKind kind : {key_gram, value_gram, spread_gram}) {
            const Real exact = largest(rows_of(of, call, kind, g));
            const Real upper = certificate.tops[kind * layer.kv_heads + g].upper;
            // power steps come from below, and a mean is centred in another order
            if (upper < exact * (1 - 1e-12L) || upper > exact * 1.02L + 1e-25L) return false;
        }
        for (std::uint32_t h = g * sharing; h < (g + 1) * sharing; ++h) {
            const HeadCertificate& head = certificate.heads[h];
            Real a_k = 0, a_v = 0, s_k = 0, s_v = 0;
            for (std::uint32_t c = 0; c < layer.dim; ++c) {
                const Real q = call.queries[h * layer.dim + c];
                const std::uint32_t i = g * layer.dim + c;
                a_k += q * q * certificate.key_squares[i] / layer.dim;
                s_k += q * q * of.key_scale[i] * of.key_scale[i] *
                       certificate.distortion[call.key_depths[i]] * of.tokens / layer.dim;
            }
            for (std::uint32_t j = 0; j < of.tokens; ++j) {
                const Real alpha = call.attention[h * of.tokens + j];
                a_v += alpha * alpha * certificate.residual_squares[g * of.tokens + j];
                s_v += alpha * alpha * certificate.distortion[call.value_depths[g * of.tokens + j]] *
                       of.value_factor[g];
            }
            if (!near(head.a_k, a_k) || !near(head.a_v, a_v) || !near(head.s_k, s_k) || !near(head.s_v, s_v))
                return false;
            if (head.a_k < a_k || head.a_v < a_v) return false;
            const Real bound = Real(head.centre_norm_sq) * head.kappa_k * a_k / 2 + 2 * head.kappa_v * a_v;
            if (!near(head.bound, bound) || head.bound < bound) return false;
        }
    }
    return true;
}

/// Lanczos begins in an eigenvector of the smaller of two eigenvalues, 1 and 10, and sees no other.
bool a_wrong_guess_is_refused() {
    double start[2];
    for (std::uint32_t a = 0; a < 2; ++a) {
        std::uint32_t w[4] = {a, 0, 0, 0};
        portable::philox_rounds(w[0], w[1], w[2], w[3], 0, 0);
        start[a] = symmetric53(w[0], w[1]);
    }
    const double square = start[0] * start[0] + start[1] * start[1];
    const double across = -9 * start[0] * start[1] / square;
    const double matrix[4] = {1 + 9 * start[1] * start[1] / square, across, across,
                              1 + 9 * start[0] * start[0] / square};
    double basis[6];
    double shifted[4];
    SpectrumTop top;
    serial_launch()(1, [&](auto& g, int) {
        top = largest_eigenvalue_up(g, matrix, 2, {5, 5}, {basis, shifted});
    });
    return top.guess < 2 && top.upper >= 10 * (1 - 1e-12) && top.upper <= 15;
}

} // namespace

int main() {
    if (!a_wrong_guess_is_refused()) return 1;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        ReaderLayer shape = MadeUpLayer::small_shape(seed);
        shape.dim = shape.dim > 20 ? 20 : shape.dim;
        MadeUpLayer input(seed, shape);
        input.tokens -= static_cast<std::uint32_t>(seed % shape.tokens);
        CallMemory answered(input.layer, input.queries, input.tokens);
        input.budgets(answered.call);
        run_reader(serial_launch(), answered);
        std::vector<double> distortions;
        for (std::uint32_t t = 0; t <= most_depth; ++t) distortions.push_back(std::pow(0.25, t));
        CertificateMemory expected(answered, input.keys, input.values, distortions);
        run_certificate(serial_launch(), expected);
        if (!is_right(input, answered, expected)) return 1;
        for (const FiberOptions& block : blocks_of(5, seed)) {
            CertificateMemory memory(answered, input.keys, input.values, distortions);
            run_certificate(fiber_launch(block), memory);
            if (!memory.same_bits(expected)) return 1;
        }
    }
    return 0;
}
