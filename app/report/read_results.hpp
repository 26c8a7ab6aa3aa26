#pragma once

#include "app/report/fields.hpp"
#include "app/report/results.hpp"

// One function for each kind of result; read_results.cpp says how a kind is recognised.

namespace kvproof::report {

[[nodiscard]] VerifyResults read_verify(const Fields& fields);
[[nodiscard]] std::vector<std::pair<std::string, std::string>> read_answers(const Fields& fields);
[[nodiscard]] std::vector<LloydRow> read_lloyd(const Fields& fields);
[[nodiscard]] SeparationTable read_separation(const Fields& fields);
[[nodiscard]] ProbeSweep read_probe(const Fields& fields);
[[nodiscard]] CertifyResults read_certify(const Fields& fields);
[[nodiscard]] CertifyRows read_certify_rows(const std::string& text, const std::string& file);
[[nodiscard]] CompareResults read_compare(const Fields& fields);
[[nodiscard]] MonteCarloResults read_montecarlo(const Fields& fields);
[[nodiscard]] AccountResults read_account(const Fields& fields);

} // namespace kvproof::report
