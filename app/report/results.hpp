#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the other commands wrote, as the report reads it. Numbers stay the text that the file has.

namespace kvproof::report {

/// One claim of `kvproof verify`.
struct ClaimResult {
    std::string id;
    std::string reference;
    std::string statement;
    std::string scope;
    std::string verdict;
    std::string why; ///< empty where the file has null, as for all that follow
    std::string recorded;
    std::string rule;
    std::string lower;
    std::string upper;
    std::string slack;
    std::vector<std::pair<std::string, std::vector<std::string>>> witness;
    std::string cases;
    std::string bits;
    std::string certificate; ///< a path below the folder of the results
    std::string sha256;
    std::string note;
    std::string seconds;

    [[nodiscard]] bool is_audit() const { return id.starts_with("paper.audit."); }
    /// The first value of a named part of the evidence, null where there is none.
    [[nodiscard]] const std::string* evidence(const std::string& name) const;
    /// Left to --effort full: neither decided nor different from the record.
    [[nodiscard]] bool is_left_out() const { return why == "effort"; }
};

struct VerifyResults {
    std::string version;
    std::vector<ClaimResult> claims;
};

/// One depth of `kvproof table lloyd`.
struct LloydRow {
    int t = 0;
    std::string distortion;
    std::string gain; ///< empty at depth 0
    std::string epsilon;
    std::vector<std::string> boundaries;
    std::vector<std::string> centroids;
};

struct SeparationRow {
    long k = 0;
    long depth = 0;
    std::string certified; ///< yes, no, unknown
    std::string factor;
};

/// `kvproof table separation` for one dimension and number of probes.
struct SeparationTable {
    long dimension = 0;
    long probes = 0;
    std::vector<SeparationRow> rows;
};

struct Ends {
    std::string lower;
    std::string upper;
};

/// A class of readers at one budget: risks in lowest terms, as text.
struct ProbeRow {
    std::string access;
    int bits = 0;
    int probes = 0;
    std::optional<Ends> deterministic; ///< equal ends where it is decided
    std::optional<Ends> randomised;
};

/// What stands beside the classes at one budget; empty where there is none.
struct ProbeSide {
    int bits = 0;
    int probes = 0;
    std::string readkv;
    std::string converse; ///< of the family itself
};

struct ProbeSweep {
    std::string family;
    std::string sources;
    std::string queries;
    std::vector<ProbeRow> rows;
    std::vector<ProbeSide> beside;
};

/// `kvproof certify`: the means of one layer.
struct CertifiedLayer {
    std::string layer;
    std::string error;
    std::string sharp; ///< empty without a certificate
    std::string bound;
    std::string violations;
};

struct CertifyResults {
    std::string capture; ///< the file's name without its folder
    std::string calibration;
    std::string reader;
    std::string observations;
    std::string violations;
    std::vector<CertifiedLayer> layers;
    std::vector<std::pair<std::string, std::vector<std::string>>> ratios; ///< name; 5 %, median, 95 %
};

/// One observation of the rows that `kvproof certify --rows` writes.
struct Observation {
    double error = 0;
    double bound = 0;
    double sharp = 0;
};

struct CertifyRows {
    std::string file;
    std::size_t uncertified = 0; ///< lines without bounds
    std::vector<Observation> rows;
};

struct ComparedSystem {
    std::string reader;
    std::string mean;
    std::string median;
    std::string max;
    std::string reads;
    std::string capacity;
};

struct CompareResults {
    std::string capture;
    std::string calibration;
    std::vector<ComparedSystem> systems;
    std::vector<std::string> left_out;
};

struct MetricResult {
    std::string name;
    std::string mean; ///< empty, as the ends, where the metric has no samples
    std::string lower;
    std::string upper;
    std::string method;
    std::string samples;
    std::string meaning;
};

struct ReferenceResult {
    std::string name;
    std::string value;
    std::string meaning;
};

struct MonteCarloResults {
    std::string experiment;
    std::string seed;
    std::string trials;
    std::string task;
    std::string capture;
    std::vector<std::pair<std::string, std::string>> parameters;
    std::vector<MetricResult> metrics;
    std::vector<ReferenceResult> references;
};

struct AccountRow {
    std::string system;
    std::string reads;
    std::string capacity;
};

struct AccountResults {
    std::string model;
    std::string run;
    std::string capacity_at;
    std::vector<AccountRow> rows;
};

/// A file that was read.
struct Source {
    std::string name; ///< without its folder
    std::string kind; ///< in words
    std::string sha256;
};

/// Everything that the report is made from, in the order of the command line.
struct Results {
    std::vector<Source> sources;
    std::optional<VerifyResults> verify;
    std::string verify_folder; ///< of the results, for the paths of certificates
    std::vector<std::pair<std::string, std::string>> answers; ///< certificate, answer of the checker
    std::vector<std::vector<LloydRow>> lloyd;
    std::vector<SeparationTable> separations;
    std::vector<ProbeSweep> probes;
    std::vector<CertifyResults> certified;
    std::vector<CertifyRows> observations;
    std::vector<CompareResults> compared;
    std::vector<MonteCarloResults> experiments;
    std::vector<AccountResults> accounts;
};

/// Reads the files, each recognised by what it holds. Throws Error(file_not_readable), and
/// Error(bad_file_format) with one line that names the file, what was found and what was expected.
[[nodiscard]] Results read_results(const std::vector<std::string>& paths);

} // namespace kvproof::report
