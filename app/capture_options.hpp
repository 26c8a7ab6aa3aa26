#pragma once

#include "app/verb.hpp"
#include "lib/reader/measure.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kvproof::app {

/// What `certify` and `compare` take alike.
struct CaptureOptions {
    CommonOptions common;
    std::string capture;
    std::string calibration;
    std::string codebook;
    std::string transform = "hadamard";
    std::string layers = "all";
    std::string queries = "all";
    std::string value_scale = "unit";
    std::string pool = "layer";
};

void add_capture_options(CLI::App& verb, CaptureOptions& options);

/// The captures, opened and checked, and what every reader of the run shares.
class CaptureRun {
public:
    /// Throws Error where an option or a file is not as it should be, before anything is computed.
    explicit CaptureRun(const CaptureOptions& options);

    [[nodiscard]] const Capture& capture() const { return capture_; }
    [[nodiscard]] const std::vector<int>& layers() const { return layers_; }
    [[nodiscard]] const QueryRows& rows() const { return rows_; }
    [[nodiscard]] const ReaderSettings& settings() const { return *settings_; }
    [[nodiscard]] bool has_calibration() const { return calibration_.has_value() || self_; }

    /// A layer of the capture with its calibration.
    [[nodiscard]] KeptLayer layer(int index) const;

    /// Shows the calibration to a reader that looks at all layers of it; nothing where there is none. Throws
    /// Error(bad_capture) where the calibration lacks what the reader needs.
    void prepare(Reader& reader) const;

    /// The settings as JSON: how a report begins.
    [[nodiscard]] nlohmann::ordered_json configuration() const;

private:
    CaptureOptions options_;
    Capture capture_;
    std::optional<Capture> calibration_;
    bool self_ = false;
    std::vector<int> layers_;
    QueryRows rows_;
    std::unique_ptr<ReaderSettings> settings_;
};

} // namespace kvproof::app
