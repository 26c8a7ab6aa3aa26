#pragma once

#include "proofs/verify.hpp"

#include <map>
#include <string>
#include <vector>

namespace kvproof {

/// The records of a decided formula (docs/certificates.md): `code`, or `precision` and the witnesses.
/// To be called while the formula lives, since a refutation points into it.
[[nodiscard]] std::vector<std::string> certificate_records(const Formula& formula, const Decision& decision);

/// Whether a part of the formula is a sample of runs of the reader: then there is nothing for a checker to
/// check.
[[nodiscard]] bool is_sampled(const Formula& formula);

/// The claims whose certificates one for this formula rests on; `codebook` where it speaks of a user's table.
[[nodiscard]] std::vector<std::string> needed_certificates(const Formula& formula, bool of_user_table);

/// A certificate's text with its closing hash.
struct Certificate {
    std::string text;
    std::string sha256; ///< the one on the `end` line
};

/// The text of these lines with its frame.
[[nodiscard]] Certificate sealed(const std::vector<std::string>& header,
                                 const std::vector<std::string>& records);

using CertificateSet = std::map<std::string, Certificate>; // by the claim's id, or `codebook`

/// The name of the file that holds a claim's certificate: the id, with - for / (Table 10 has a column
/// qwen2.5-7b/R2).
[[nodiscard]] std::string certificate_file(std::string id);

/// The certificate of a user's table: that it is nested and ordered. Its hash names the table.
[[nodiscard]] Certificate codebook_certificate(const Codebook<float>& table);

/// The certificate of one result; `used` holds the certificates it rests on.
[[nodiscard]] Certificate write_certificate(const Result& result, const CertificateSet& used);

/// The certificates of all results that this effort ran, samples apart, and of what they rest on. Results
/// about a user's table are instances of their rows, named after its certificate's hash.
[[nodiscard]] CertificateSet certificates_of(const std::vector<Result>& results, const Context& context);

} // namespace kvproof
