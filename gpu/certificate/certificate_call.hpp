#pragma once
// What a certificate is made from and what comes out: plain pointers, nothing owned.

#include "gpu/reader/reader_layer.hpp"

namespace kvproof::gpu {

/// The full-precision side of a layer, transformed, in binary32, over the stored tokens.
struct ExactVectors {
    const float* keys = nullptr;   ///< k': [G, d_h, tokens]
    const float* values = nullptr; ///< v': [G, tokens, d_h]
};

/// An eigenvalue's bounds: a guess from below without promise, and what is proved.
struct SpectrumTop {
    double guess = 0;
    double upper = 0;
    bool by_factorisation = false; ///< else by Gershgorin's discs or the trace
};

/// What Proposition 12 is made of, for one query head. A_K, A_V, the kappas, the norm and the bound are upper
/// bounds; S_K and S_V are computed.
struct HeadCertificate {
    double a_k = 0, a_v = 0;         ///< realised diagonal energies
    double s_k = 0, s_v = 0;         ///< calibrated objectives
    double kappa_k = 0, kappa_v = 0; ///< 0 where A is
    double centre_norm_sq = 0;       ///< ||V - 1c'||^2
    double bound = 0; ///< 1/2 ||V - 1c'||^2 kappa_K A_K + 2 kappa_V A_V; infinite where S_K = 0 < A_K, or V
};

/// The three matrices of a KV head.
enum GramKind : std::uint32_t { key_gram, value_gram, spread_gram };
inline constexpr std::uint32_t gram_kinds = 3;

/// A call with all that its certificate needs: full precision, the codebook's distortions D(0), ..., D(W),
/// and memory. Matrices are those of GramKind, for each KV head.
struct CertificateCall {
    ReaderCall call;
    ExactVectors exact;
    const double* distortion = nullptr;
    double* residual_squares = nullptr; ///< ||e^V_j||^2: [G, T]
    double* key_squares = nullptr;      ///< ||e^K_c||^2: [G, d_h]
    double* centre = nullptr;           ///< c: [G, d_h]
    double* partial = nullptr;          ///< [3, G, gram_chunks(T), d_h, d_h]
    double* gram = nullptr;             ///< [3, G, d_h, d_h]
    double* basis = nullptr;            ///< [3, G, lanczos_basis(d_h)]
    double* shifted = nullptr;          ///< [3, G, d_h, d_h]
    SpectrumTop* tops = nullptr;        ///< [3, G]
    HeadCertificate* heads = nullptr;   ///< [H]
};

} // namespace kvproof::gpu
