// The device's certificate: every bound against exact rationals where matrices are small (a bound mu of an
// eigenvalue is one where mu - C is positive semidefinite, decided by elimination), against the library's
// enclosures where they are not, and against the error itself.
#include "lib/attention/kappa.hpp"
#include "lib/exact/rational.hpp"
#include "tests/gpu/certificate_memory.hpp"
#include "tests/gpu/reader_run.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

using namespace kvproof;
using namespace kvproof::test;

namespace {

int pick(int least, int most) {
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1)));
}

/// An answered call with its certificate and all that they were made from.
struct CertifiedCall {
    CertifiedCall(const CaseSizes& sizes, std::uint64_t seed, std::uint64_t key_budget,
                  std::uint64_t value_budget)
        : prepared(sizes, seed) {
        prepared.key_budget = key_budget;
        prepared.value_budget = value_budget;
        answered = prepared.run();
        decoded = decode_all(prepared, *answered);
        const std::size_t d = answered->layer.dim;
        const std::size_t tokens = prepared.tokens;
        keys.resize(answered->layer.kv_heads * d * tokens);
        for (std::size_t g = 0; g < answered->layer.kv_heads; ++g)
            for (std::size_t j = 0; j < tokens; ++j)
                for (std::size_t c = 0; c < d; ++c)
                    keys[(g * d + c) * tokens + j] =
                        static_cast<float>(prepared.input.layer.k[(g * tokens + j) * d + c]);
        values.assign(prepared.input.layer.v.begin(), prepared.input.layer.v.end());
        certificate =
            std::make_unique<CertificateMemory>(*answered, keys, values, prepared.input.code.distortion);
        run_certificate(serial_launch(), *certificate);
    }

    [[nodiscard]] const gpu::SpectrumTop& top(gpu::GramKind kind, std::size_t g) const {
        return certificate->tops[kind * answered->layer.kv_heads + g];
    }
    /// Rows [T, d] of the matrix of a kind, in numbers that hold them: residuals of binary32 are rationals.
    template <class Number>
    [[nodiscard]] std::vector<std::vector<Number>> rows(gpu::GramKind kind, std::size_t g) const {
        const std::size_t d = answered->layer.dim;
        const std::size_t tokens = prepared.tokens;
        std::vector<std::vector<Number>> out(tokens, std::vector<Number>(d));
        for (std::size_t j = 0; j < tokens; ++j)
            for (std::size_t c = 0; c < d; ++c) {
                const std::size_t key = (g * d + c) * tokens + j;
                const std::size_t value = (g * tokens + j) * d + c;
                if (kind == gpu::key_gram)
                    out[j][c] = Number(double{keys[key]}) - Number(double{decoded.keys[key]});
                else if (kind == gpu::value_gram)
                    out[j][c] = Number(double{values[value]}) - Number(double{decoded.values[value]});
                else
                    out[j][c] = Number(double{values[value]}) - Number(certificate->centre[g * d + c]);
            }
        return out;
    }

    Prepared prepared;
    std::unique_ptr<CallMemory> answered;
    Decoded decoded;
    std::vector<float> keys;   ///< [G, d, T]
    std::vector<float> values; ///< [G, T, d]
    std::unique_ptr<CertificateMemory> certificate;
};

CertifiedCall any_call(CaseSizes sizes) {
    sizes.kv_heads = pick(1, 2);
    sizes.query_heads = sizes.kv_heads * pick(1, 2);
    sizes.depth = pick(1, 8);
    sizes.query_scale = std::ldexp(1.0, pick(-2, 3));
    sizes.zero_channel = pick(0, 3) == 0;
    const auto budget = [&](int items) { return static_cast<std::uint64_t>(pick(0, items * sizes.depth)); };
    return {sizes, static_cast<std::uint64_t>(pick(0, 1 << 30)), budget(sizes.kv_heads * sizes.dim),
            budget(sizes.kv_heads * sizes.tokens)};
}

using Matrix = std::vector<std::vector<Rational>>;

/// By elimination: a pivot that is negative, or 0 with something beside it, says no.
bool semidefinite(Matrix a) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k][k] < 0) return false;
        for (std::size_t i = k + 1; i < a.size(); ++i) {
            if (a[k][k] == 0) {
                if (a[i][k] != 0) return false;
                continue;
            }
            const Rational factor = a[i][k] / a[k][k];
            for (std::size_t c = k; c < a.size(); ++c) a[i][c] -= factor * a[k][c];
        }
    }
    return true;
}

/// C and what stands for I: lambda_max <= mu where mu I - C is semidefinite. For keys C = E'E and I is its
/// diagonal, since scaling keeps definiteness.
struct Pencil {
    Matrix c;
    Matrix unit;
    [[nodiscard]] bool at_most(const Rational& mu) const {
        Matrix shifted = c;
        for (std::size_t i = 0; i < c.size(); ++i)
            for (std::size_t k = 0; k < c.size(); ++k) shifted[i][k] = mu * unit[i][k] - c[i][k];
        return semidefinite(shifted);
    }
    [[nodiscard]] bool is_zero() const {
        for (const auto& row : c)
            for (const Rational& x : row)
                if (x != 0) return false;
        return true;
    }
};

Pencil pencil_of(const CertifiedCall& call, gpu::GramKind kind, std::size_t g) {
    const auto rows = call.rows<Rational>(kind, g);
    const std::size_t d = rows.front().size();
    Pencil out{Matrix(d, std::vector<Rational>(d)), Matrix(d, std::vector<Rational>(d))};
    for (const auto& row : rows) {
        Rational weight = 1;
        if (kind == gpu::value_gram) {
            Rational square = 0;
            for (const Rational& x : row) square += x * x;
            weight = square == 0 ? Rational(0) : Rational(1 / square);
        }
        for (std::size_t a = 0; a < d; ++a)
            for (std::size_t b = 0; b < d; ++b) out.c[a][b] += weight * row[a] * row[b];
    }
    for (std::size_t a = 0; a < d; ++a) out.unit[a][a] = kind == gpu::key_gram ? out.c[a][a] : Rational(1);
    return out;
}

constexpr gpu::GramKind every_kind[] = {gpu::key_gram, gpu::value_gram, gpu::spread_gram};

const Rational& close() {
    static const Rational factor = 1 + Rational(1) / Rational(Integer(1) << 19);
    return factor;
}

RC_GTEST_PROP(GpuCertificate, eigenvalues_are_proved_and_tight_in_rationals, ()) {
    const CertifiedCall call = any_call({.dim = pick(1, 4), .tokens = pick(1, 7)});
    for (std::size_t g = 0; g < call.answered->layer.kv_heads; ++g)
        for (const gpu::GramKind kind : every_kind) {
            const Pencil pencil = pencil_of(call, kind, g);
            const gpu::SpectrumTop& top = call.top(kind, g);
            RC_ASSERT(pencil.at_most(Rational(top.upper)));
            if (pencil.is_zero())
                RC_ASSERT(top.upper == 0);
            else
                RC_ASSERT(!pencil.at_most(Rational(top.upper) / close()));
        }
}

RC_GTEST_PROP(GpuCertificate, factors_are_upper_bounds_and_tight_in_rationals, ()) {
    const CertifiedCall call = any_call({.dim = pick(1, 4), .tokens = pick(1, 7)});
    const CallMemory& answered = *call.answered;
    const std::size_t d = answered.layer.dim;
    const std::size_t tokens = answered.call.tokens;
    const auto near = [](double found, const Rational& exact) {
        const Rational room = exact / Rational(Integer(1) << 38);
        return Rational(found) >= exact - room && Rational(found) <= exact + room;
    };
    for (std::size_t h = 0; h < answered.layer.query_heads; ++h) {
        const std::size_t g = h / answered.layer.sharing();
        const auto keys = call.rows<Rational>(gpu::key_gram, g);
        const auto values = call.rows<Rational>(gpu::value_gram, g);
        Rational a_k = 0;
        Rational s_k = 0;
        for (std::size_t c = 0; c < d; ++c) {
            const Rational q = answered.queries[h * d + c];
            const Rational scaled = q * answered.layer.key_scale[g * d + c];
            for (std::size_t j = 0; j < tokens; ++j) a_k += q * q * keys[j][c] * keys[j][c];
            s_k += scaled * scaled * call.certificate->distortion[answered.key_depths[g * d + c]];
        }
        a_k /= d;
        s_k *= Rational(tokens) / d;
        Rational a_v = 0;
        Rational s_v = 0;
        for (std::size_t j = 0; j < tokens; ++j) {
            const Rational alpha = answered.attention[h * tokens + j];
            for (const Rational& x : values[j]) a_v += alpha * alpha * x * x;
            s_v += alpha * alpha * call.certificate->distortion[answered.value_depths[g * tokens + j]];
        }
        const gpu::HeadCertificate& head = call.certificate->heads[h];
        RC_ASSERT(Rational(head.a_k) >= a_k && near(head.a_k, a_k));
        RC_ASSERT(Rational(head.a_v) >= a_v && near(head.a_v, a_v));
        RC_ASSERT(near(head.s_k, s_k));
        RC_ASSERT(near(head.s_v, s_v));
        RC_ASSERT(head.kappa_k == (a_k == 0 ? 0 : call.top(gpu::key_gram, g).upper));
        RC_ASSERT(head.kappa_v == (a_v == 0 ? 0 : call.top(gpu::value_gram, g).upper));
        RC_ASSERT(head.centre_norm_sq == call.top(gpu::spread_gram, g).upper);
        if ((s_k == 0 && a_k != 0) || (s_v == 0 && a_v != 0)) continue;
        const Rational bound = Rational(head.centre_norm_sq) * Rational(head.kappa_k) * a_k / 2 +
                               2 * Rational(head.kappa_v) * a_v;
        RC_ASSERT(Rational(head.bound) >= bound && near(head.bound, bound));
    }
}

/// The library's enclosures of the same matrices, which share nothing with the device's beyond the rows.
RC_GTEST_PROP(GpuCertificate, agrees_with_the_enclosures_on_the_processor, ()) {
    constexpr int dims[] = {5, 16, 40};
    const int tokens = pick(0, 1) == 0 ? pick(2, 60) : pick(1025, 1100);
    const CertifiedCall call = any_call({.dim = dims[pick(0, tokens > 1000 ? 1 : 2)], .tokens = tokens});
    for (std::size_t g = 0; g < call.answered->layer.kv_heads; ++g)
        for (const gpu::GramKind kind : every_kind) {
            Vector flat;
            for (const auto& row : call.rows<double>(kind, g))
                flat.insert(flat.end(), row.begin(), row.end());
            const std::size_t d = call.answered->layer.dim;
            const MatrixView rows(flat, call.prepared.tokens, d);
            const EigenvalueBounds expected = kind == gpu::key_gram ? kappa_of_columns(rows)
                                              : kind == gpu::value_gram
                                                  ? kappa_of_rows(rows)
                                                  : largest_eigenvalue(column_gram(rows).matrix());
            const gpu::SpectrumTop& top = call.top(kind, g);
            // residuals in double are off by 2^-53 of themselves
            RC_ASSERT(top.upper >= expected.lower * (1 - 0x1p-40));
            RC_ASSERT(top.upper <= expected.upper * (1 + 0x1p-5));
            if (top.by_factorisation) RC_ASSERT(top.guess <= expected.upper * (1 + 0x1p-40));
        }
}

struct OutputDistance {
    long double error = 0;   ///< ||o - sum_j alpha~_j v^_j||, alpha~ the reader's own weights
    long double rounded = 0; ///< sum_j |alpha~_j - alpha^_j| ||v_j||, alpha^ the exact softmax over k^
};

/// One head's output against full precision, in long double.
OutputDistance distance_of(const CertifiedCall& call, std::size_t h) {
    const CallMemory& answered = *call.answered;
    const std::size_t d = answered.layer.dim;
    const std::size_t tokens = answered.call.tokens;
    const std::size_t g = h / answered.layer.sharing();
    const auto softmax_of = [&](const std::vector<float>& keys) {
        std::vector<long double> out(tokens);
        long double mass = 0;
        for (std::size_t j = 0; j < tokens; ++j) {
            long double z = 0;
            for (std::size_t c = 0; c < d; ++c)
                z += static_cast<long double>(answered.queries[h * d + c]) * keys[(g * d + c) * tokens + j];
            out[j] = std::exp(z / std::sqrt(static_cast<long double>(d)));
            mass += out[j];
        }
        for (long double& x : out) x /= mass;
        return out;
    };
    const std::vector<long double> exact = softmax_of(call.keys);
    const std::vector<long double> reader = softmax_of(call.decoded.keys);
    OutputDistance out;
    long double error = 0;
    for (std::size_t c = 0; c < d; ++c) {
        long double off = 0;
        for (std::size_t j = 0; j < tokens; ++j) {
            const std::size_t at = (g * tokens + j) * d + c;
            off += exact[j] * call.values[at] -
                   static_cast<long double>(answered.attention[h * tokens + j]) * call.decoded.values[at];
        }
        error += off * off;
    }
    out.error = std::sqrt(error);
    for (std::size_t j = 0; j < tokens; ++j) {
        long double square = 0;
        for (std::size_t c = 0; c < d; ++c)
            square += static_cast<long double>(call.values[(g * tokens + j) * d + c]) *
                      call.values[(g * tokens + j) * d + c];
        out.rounded += std::abs(answered.attention[h * tokens + j] - reader[j]) * std::sqrt(square);
    }
    return out;
}

/// V'(alpha - alpha~) + E_V' alpha~: the first term is the proposition's V'(alpha - alpha^) and what the
/// reader's softmax rounds.
RC_GTEST_PROP(GpuCertificate, bounds_the_error, ()) {
    const CertifiedCall call = any_call({.dim = pick(1, 12), .tokens = pick(1, 40)});
    for (std::size_t h = 0; h < call.answered->layer.query_heads; ++h) {
        const OutputDistance distance = distance_of(call, h);
        // squares of the two terms count double in the proposition, so their roots add up below the root
        RC_ASSERT(distance.error <=
                  (std::sqrt(static_cast<long double>(call.certificate->heads[h].bound)) + distance.rounded) *
                          (1 + 1e-12L) +
                      1e-15L);
    }
}

/// Spectra that are hard for Lanczos: the bound holds, by whatever proves it.
TEST(GpuSpectrum, hard_matrices_are_bounded) {
    for (const std::size_t d : {std::size_t{1}, std::size_t{33}, std::size_t{96}})
        for (int shape = 0; shape < 4; ++shape) {
            Vector matrix(d * d);
            for (std::size_t a = 0; a < d; ++a)
                for (std::size_t b = 0; b < d; ++b)
                    matrix[a * d + b] = shape == 0   ? (a == b ? 1 : 0) // one eigenvalue
                                        : shape == 1 ? 1                // rank one: d
                                        : shape == 2 ? (a == b ? 1 - static_cast<double>(a) * 0x1p-20 : 0)
                                                     : (a == b           ? 1
                                                        : a + b == d - 1 ? 1 - 0x1p-40
                                                                         : 0);
            const double exact = shape == 1 ? static_cast<double>(d) : shape == 3 && d > 1 ? 2 - 0x1p-40 : 1;
            Vector basis(gpu::lanczos_basis(static_cast<std::uint32_t>(d)), NAN);
            Vector shifted(d * d, NAN);
            gpu::SpectrumTop top;
            serial_launch()(1, [&](auto& g, int) {
                top = gpu::largest_eigenvalue_up(g, matrix.data(), static_cast<std::uint32_t>(d), {5, 5},
                                                 {basis.data(), shifted.data()});
            });
            EXPECT_GE(top.upper, exact) << d << ' ' << shape;
            EXPECT_LE(top.upper, exact * (1 + 0x1p-10)) << d << ' ' << shape;
        }
}

/// Mutants: a bound that is a little lower, and rows of another depth, are refused by the rational check.
TEST(GpuCertificate, what_is_too_small_is_seen) {
    const CertifiedCall call({.kv_heads = 1, .query_heads = 1, .dim = 4, .tokens = 6, .depth = 8}, 5, 8, 12);
    for (const gpu::GramKind kind : every_kind) {
        const Pencil pencil = pencil_of(call, kind, 0);
        EXPECT_TRUE(pencil.at_most(Rational(call.top(kind, 0).upper)));
        EXPECT_FALSE(pencil.at_most(Rational(call.top(kind, 0).upper * (1 - 0x1p-18))));
    }
    const CertifiedCall coarse({.kv_heads = 1, .query_heads = 1, .dim = 4, .tokens = 6, .depth = 8}, 5, 0, 0);
    EXPECT_GT(coarse.certificate->heads[0].a_k, 2 * call.certificate->heads[0].a_k);
    EXPECT_GT(coarse.certificate->heads[0].a_v, call.certificate->heads[0].a_v);
}

/// A factorisation that is told a value below the largest eigenvalue fails.
TEST(GpuSpectrum, the_proof_fails_below_the_eigenvalue) {
    const Vector matrix = {2, 1, 1, 2}; // 3 and 1
    Vector work(4);
    serial_launch()(1, [&](auto& g, int) {
        EXPECT_TRUE(gpu::cholesky_succeeds(g, matrix.data(), 2, 3 + 0x1p-40, work.data()));
        EXPECT_FALSE(gpu::cholesky_succeeds(g, matrix.data(), 2, 3 - 0x1p-40, work.data()));
    });
}

} // namespace
