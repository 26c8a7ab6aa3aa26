#pragma once

#include "app/report/figure.hpp"
#include "app/report/results.hpp"

#include <kainjow/mustache.hpp>

// What the templates are filled with. Both templates, HTML and Markdown, take the same data; a text that may
// be missing comes with a flag has_NAME, since a template cannot tell an empty text from one that is not
// there.

namespace kvproof::report {

using Data = kainjow::mustache::data;

/// Where links may lead and what the page may show.
struct PageOptions {
    std::string html_folder;  ///< in which the page will lie: certificates below it are linked
    std::string plots_folder; ///< of the drawings as files, as Markdown links to them; empty: none
};

/// A text and has_NAME, whether it is not empty.
void set_text(Data& data, const std::string& name, const std::string& text);

[[nodiscard]] Data table_data(const Table& table);
[[nodiscard]] Data figure_data(const Figure& figure, const PageOptions& options);

/// Everything about one claim: statement, formula, enclosure, slack, witness, method, cost, certificate.
[[nodiscard]] Data claim_data(const ClaimResult& claim, const Results& results, const PageOptions& options);

/// The part of the page that `kvproof verify` fills.
void set_verdicts(Data& page, const Results& results, const PageOptions& options);

/// The same for the sentences about printed numbers.
void set_audit(Data& page, const VerifyResults& verify);

/// The rule that decided a claim, in words.
[[nodiscard]] std::string method_text(const std::string& rule);

/// The enclosure in a few characters: the digits that both ends share.
[[nodiscard]] std::string value_text(const ClaimResult& claim);

} // namespace kvproof::report
