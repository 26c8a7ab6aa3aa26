#include "app/probe_certificates.hpp"

#include "lib/error.hpp"
#include "lib/record/file.hpp"
#include "proofs/certificate/probe_certificates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kvproof::app {
namespace {

std::string file_name(const char* what, const ProbeCell& cell) {
    std::string out = fmt::format("{}-{}-w{}-r{}.cert", what, to_string(cell.access), cell.bits, cell.probes);
    std::ranges::replace(out, ':', '-');
    return out;
}

} // namespace

void write_probe_certificates(const std::string& folder, const ProbeReport& report, const StopRequest& stop) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error(ErrorCode::file_not_writable, folder + ": " + failed.message());
    const auto write = [&](const char* what, const ProbeCell& cell, const auto& named) {
        if (named)
            write_file_atomically(std::filesystem::path(folder) / file_name(what, cell),
                                  named->certificate.text);
    };
    for (const ProbeLine& line : report.lines) {
        const ProbeCell& cell = line.cell;
        if (line.deterministic && line.deterministic->decided())
            write("risk", cell,
                  risk_certificate(report.family, cell.access, cell.probes, line.deterministic->protocol,
                                   line.deterministic->witness.get(), stop));
        if (line.randomised)
            write("game", cell,
                  game_certificate(report.family, cell.access, cell.bits, cell.probes, *line.randomised));
    }
}

} // namespace kvproof::app
