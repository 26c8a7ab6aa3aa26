#pragma once

#include "lib/capture/capture.hpp"
#include "sim/montecarlo/metric.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof {

/// Trials first, ..., first + count - 1 of a seed.
struct TrialRange {
    std::uint64_t seed = 0;
    std::uint64_t first = 0;
    std::size_t count = 0;
};

/// The samples of some trials: one row for each metric, NaN where a trial has no value.
class SampleTable {
public:
    SampleTable(std::size_t metrics, std::size_t trials) : trials_(trials), samples_(metrics * trials) {}

    [[nodiscard]] std::size_t trials() const { return trials_; }
    [[nodiscard]] std::span<double> of(std::size_t metric) {
        return std::span(samples_).subspan(metric * trials_, trials_);
    }

private:
    std::size_t trials_;
    std::vector<double> samples_;
};

/// A number that results are to be read against.
struct Reference {
    std::string name;
    double value = 0;
    std::string meaning;
};

/// An experiment with its parameters and inputs set: data and a pure function. The samples of a trial depend
/// on the seed and the trial's number alone, bit for bit, not on the range it is asked for in, nor on the
/// thread.
struct Experiment {
    std::vector<Metric> metrics;
    /// Numbers to set beside the metrics, such as a theorem's bounds, with the direction they are rounded in.
    std::vector<Reference> references;
    /// Trials in a block, the unit of work that is shared out and kept: some tenths of a second at most.
    std::size_t block = 4096;
    /// Fills a table of range.count trials; from any thread.
    std::function<void(const TrialRange& range, SampleTable& samples)> run;
};

/// A named number, or one of some words, that an experiment depends on.
struct Parameter {
    std::string name;
    std::string preset; ///< its value unless set
    double least = 0;   ///< of a number
    double greatest = 0;
    bool whole = false;
    std::vector<std::string> choices; ///< of a word; empty for a number
    std::string meaning;
};

/// The captures that an experiment reads.
struct CaptureInputs {
    std::shared_ptr<const Capture> capture;
    std::shared_ptr<const Capture> calibration; ///< the same as `capture` for --calibration self; may be null
};

/// What an experiment is made from: a value for each of its parameters, in their order.
struct ExperimentInputs {
    std::vector<std::string> values;
    CaptureInputs files;

    [[nodiscard]] double number(std::size_t parameter) const;
    [[nodiscard]] std::size_t whole(std::size_t parameter) const;
    [[nodiscard]] const std::string& word(std::size_t parameter) const { return values[parameter]; }
};

/// A row of the registry.
struct ExperimentRow {
    std::string name;
    std::string summary; ///< one line
    int version = 1;     ///< of the definition: raised whenever a sample may change
    std::vector<Parameter> parameters;
    bool needs_capture = false;
    /// Throws Error(bad_option) where parameters do not fit together or to the capture.
    Experiment (*make)(const ExperimentInputs& inputs) = nullptr;
};

/// All experiments, in the order of the manual.
[[nodiscard]] const std::vector<ExperimentRow>& experiments();

/// Throws Error(bad_option) that lists the names.
[[nodiscard]] const ExperimentRow& experiment_row(std::string_view name);

/// The parameters' values after "NAME=VALUE" settings; numbers in their shortest form. Throws
/// Error(bad_option) that names the parameter, what was found and what was expected.
[[nodiscard]] std::vector<std::string> parameter_values(const ExperimentRow& row,
                                                        const std::vector<std::string>& settings);

} // namespace kvproof
