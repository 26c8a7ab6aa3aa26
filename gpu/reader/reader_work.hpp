#pragma once
// A call of the two-stage reader as a question and a reply, wherever the bodies run.

#include "gpu/certificate/certificate_call.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kvproof::gpu {

/// What a call is asked with.
struct ReaderQuestion {
    std::span<const float> queries; ///< q' = U_K q: [H, d_h]
    std::uint32_t tokens = 0;
    std::uint32_t key_budget = 0; ///< increments, of each pool
    std::uint32_t value_budget = 0;
    bool pool_per_head = false;
};

/// What it leaves.
struct ReaderReply {
    std::vector<std::uint8_t> key_depths;      ///< [G, d_h]
    std::vector<std::uint8_t> value_depths;    ///< [G, T]
    std::vector<std::uint32_t> spent;          ///< of each pool: [2, G], keys and values
    std::vector<float> logits;                 ///< [H, T]
    std::vector<float> attention;              ///< [H, T]
    std::vector<float> outputs;                ///< o^, transformed: [H, d_h]
    std::vector<HeadCertificate> certificates; ///< [H]; empty where the layer has no full-precision side
};

/// Answers calls over one layer, from any thread. Throws Error(bad_weight) where a weight is not finite.
using AnswerCall = std::function<ReaderReply(const ReaderQuestion& question)>;

/// What can be asked about a layer in host memory. `exact` is empty where no certificates are wanted;
/// `distortions` are D(0), ..., D(W), for them. All of it outlives what is returned.
using ServeLayer = std::function<AnswerCall(const ReaderLayer& layer, const ExactVectors& exact,
                                            std::span<const double> distortions)>;

/// The bodies on this processor, one thread to a group. Slow, and of the device's bits.
[[nodiscard]] AnswerCall serve_here(const ReaderLayer& layer, const ExactVectors& exact,
                                    std::span<const double> distortions);

/// All that a launch does for one call, and for one certificate, by groups of one thread on this processor.
void answer_here(const ReaderCall& call);
void certify_here(const CertificateCall& of);

/// Throws Error(bad_weight) where a pool's allocation was refused.
void require_allocations(const ReaderReply& reply);

} // namespace kvproof::gpu
