#pragma once

#include "proofs/verify.hpp"

#include <map>
#include <string>
#include <vector>

namespace kvproof {

/// The records of a decided formula (docs/certificates.md): `code`, or `precision` and the witnesses.
/// To be called while the formula lives, since a refutation points into it.
[[nodiscard]] std::vector<std::string> certificate_records(const Formula& formula, const Decision& decision);

/// The claims whose certificates one for this formula rests on.
[[nodiscard]] std::vector<std::string> needed_certificates(const Formula& formula);

/// A certificate's text with its closing hash.
struct Certificate {
    std::string id;
    std::string text;
    std::string sha256; ///< the one on the `end` line
};

using CertificateSet = std::map<std::string, Certificate>; // by id

/// The certificate of one result; `used` holds the certificates it rests on.
[[nodiscard]] Certificate write_certificate(const Result& result, const CertificateSet& used);

/// The certificates of all results that this effort ran, and of the claims that they rest on. Results about a
/// user's codebook leave none: the checkers know the tree's own table only.
[[nodiscard]] CertificateSet certificates_of(const std::vector<Result>& results, const Context& context);

} // namespace kvproof
