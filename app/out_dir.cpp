#include "app/out_dir.hpp"

#include "lib/error.hpp"
#include "lib/record/file.hpp"
#include "lib/version.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <system_error>

namespace kvproof::app {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> own_names = {"results.json", "manifest.json", "certificates"};

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
    throw Error(ErrorCode::file_not_writable, path.string() + ": " + what);
}

[[noreturn]] void refuse_foreign(const fs::path& folder, const fs::directory_entry& entry) {
    refuse(folder, "holds " + entry.path().filename().string() +
                       ", which kvproof does not write; choose another --out");
}

/// Only a folder of this program's own making may be replaced.
void require_replaceable(const fs::path& folder) {
    std::error_code failed;
    if (!fs::exists(fs::symlink_status(folder, failed))) return;
    if (!fs::is_directory(folder, failed)) refuse(folder, "found a file, expected a folder or nothing");
    for (const auto& entry : fs::directory_iterator(folder, failed))
        if (!own_names.contains(entry.path().filename().string())) refuse_foreign(folder, entry);
    if (failed) refuse(folder, failed.message());
    const fs::path certificates = folder / "certificates";
    if (!fs::exists(certificates)) return;
    for (const auto& entry : fs::directory_iterator(certificates, failed))
        if (entry.path().extension() != ".cert") refuse_foreign(certificates, entry);
    if (failed) refuse(certificates, failed.message());
}

/// Which claims this run decided and which it left out, so that a partial run cannot pass for a whole one.
std::string manifest(const std::vector<Result>& ran) {
    std::set<std::string> decided;
    for (const Result& result : ran)
        if (result.decision.why != Why::effort) decided.insert(result.claim.id);
    nlohmann::ordered_json run = nlohmann::ordered_json::array();
    nlohmann::ordered_json not_run = nlohmann::ordered_json::array();
    for (const Claim& claim : registry()) (decided.contains(claim.id) ? run : not_run).push_back(claim.id);
    const nlohmann::ordered_json out = {
        {"format", 1}, {"kvproof", version()}, {"run", run}, {"not_run", not_run}};
    return out.dump(2) + "\n";
}

} // namespace

void write_out_dir(const std::string& folder, const std::string& results, const std::vector<Result>& ran,
                   const CertificateSet& certificates) {
    if (folder.empty()) throw Error(ErrorCode::bad_option, "--out: found nothing, expected a folder");
    fs::path target = fs::absolute(folder).lexically_normal();
    if (!target.has_filename()) target = target.parent_path(); // "out/" and "out" are one
    const fs::path fresh = target.string() + ".new";
    const fs::path old = target.string() + ".old";
    for (const fs::path& replaced : {target, fresh, old}) require_replaceable(replaced);
    std::error_code failed;
    fs::remove_all(fresh, failed); // of a run that was killed
    fs::remove_all(old, failed);
    fs::create_directories(fresh, failed);
    if (failed) refuse(fresh, failed.message());
    write_new_file(fresh / "results.json", results);
    write_new_file(fresh / "manifest.json", manifest(ran));
    fs::create_directories(fresh / "certificates", failed);
    for (const auto& [id, certificate] : certificates)
        write_new_file(fresh / "certificates" / certificate_file(id), certificate.text);
    settle_folder(fresh);
    if (fs::exists(target)) fs::rename(target, old, failed);
    if (!failed) fs::rename(fresh, target, failed);
    if (failed) refuse(target, failed.message());
    fs::remove_all(old, failed);
}

} // namespace kvproof::app
