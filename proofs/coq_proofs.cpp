#include "proofs/coq_proofs.hpp"

#include "lib/error.hpp"

#include <sstream>

namespace kvproof {
namespace {

const std::string folder = "proofs/coq/";

/// The hash of a file's sources; empty where there is no such file.
std::string hash_of(const std::string& file, std::string_view sources) {
    std::istringstream lines{std::string(sources)};
    for (std::string name, hash; lines >> name >> hash;)
        if (name == file) return hash;
    return "";
}

} // namespace

CoqProof find_coq_proof(const std::string& theorem, std::string_view sources, std::string_view checked) {
    const std::size_t colon = theorem.find(".v:");
    if (!theorem.starts_with(folder) || colon == std::string::npos || colon + 3 == theorem.size() ||
        theorem.find(' ') != std::string::npos)
        throw Error(ErrorCode::bad_registry,
                    "found the proof \"" + theorem + "\", expected " + folder + "FILE.v:theorem");
    const std::string file = theorem.substr(folder.size(), colon + 2 - folder.size());
    const std::string start = file + "\t" + theorem.substr(colon + 3) + "\t";
    CoqProof out;
    out.theorem = theorem;
    out.problem = theorem + " was never checked by ./run proofs";
    std::istringstream lines{std::string(checked)};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(start)) continue;
        const std::size_t end = line.find('\t', start.size());
        if (line.substr(start.size(), end - start.size()) != hash_of(file, sources)) {
            out.problem = "the sources of " + theorem + " are not those that ./run proofs checked last";
            return out;
        }
        out.problem.clear();
        out.sha256 = line.substr(start.size(), end - start.size());
        out.axioms = end == std::string::npos ? "" : line.substr(end + 1);
        return out;
    }
    return out;
}

} // namespace kvproof
