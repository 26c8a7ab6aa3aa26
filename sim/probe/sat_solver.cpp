#include "sim/probe/sat_solver.hpp"

#include "lib/error.hpp"

#include <cadical.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace kvproof {
namespace {

/// A file in memory: the solver writes its trace to a FILE.
class MemoryFile {
public:
    MemoryFile() : file_(open_memstream(&data_, &size_)) {
        if (file_ == nullptr) throw Error(ErrorCode::internal, "no memory for the solver's trace");
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() {
        std::fclose(file_);
        std::free(data_);
    }
    [[nodiscard]] FILE* file() { return file_; }
    [[nodiscard]] std::string text() {
        std::fflush(file_);
        return {data_, size_};
    }

private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
    FILE* file_;
};

class Stopper : public CaDiCaL::Terminator {
public:
    explicit Stopper(const StopRequest& stop) : stop_(stop) {}
    bool terminate() override { return stop_ && stop_(); }

private:
    const StopRequest& stop_;
};

} // namespace

SatResult solve(const Cnf& cnf, const StopRequest& stop, std::int64_t most_conflicts) {
    MemoryFile trace;
    Stopper stopper(stop);
    CaDiCaL::Solver solver;
    solver.set("quiet", 1);
    solver.trace_proof(trace.file(), "trace");
    solver.connect_terminator(&stopper);
    for (const auto& clause : cnf.clauses) {
        for (const int literal : clause) solver.add(literal);
        solver.add(0);
    }
    if (most_conflicts >= 0)
        solver.limit("conflicts", static_cast<int>(std::min<std::int64_t>(most_conflicts,
                                                                          std::numeric_limits<int>::max())));
    constexpr int satisfiable = 10;
    constexpr int unsatisfiable = 20;
    const int status = solver.solve();
    solver.disconnect_terminator();
    SatResult out;
    if (status == satisfiable) {
        out.answer = SatAnswer::satisfiable;
        for (int v = 1; v <= cnf.variables; ++v) out.model.push_back(solver.val(v) > 0);
    } else if (status == unsatisfiable) {
        out.answer = SatAnswer::unsatisfiable;
        solver.close_proof_trace();
        out.trace = trace.text();
    }
    return out;
}

} // namespace kvproof
