#pragma once

#include <functional>
#include <string>
#include <vector>

namespace kvproof::app {

// The processes that run one command line together. kvproof is one (app/one_rank.cpp); kvproof-mpi is as many
// as mpirun started (app/mpi/ranks.cpp, the only file that knows of MPI). Rank 0 writes: files, stdout,
// errors.

/// Before anything else, and after everything.
void start_ranks(int* argc, char*** argv);
void finish_ranks();

/// From 0, and how many there are.
[[nodiscard]] int own_rank();
[[nodiscard]] int rank_count();
[[nodiscard]] inline bool is_first_rank() {
    return own_rank() == 0;
}

/// What every rank gave, by rank; all of them call it.
[[nodiscard]] std::vector<std::string> exchange(const std::string& mine);

/// Does `work` on every rank and exchanges what it returns. Where it throws on some ranks, the error of the
/// first of them is thrown on all, so that they end together; it names that rank unless it is the first.
[[nodiscard]] std::vector<std::string> together(const std::function<std::string()>& work);

} // namespace kvproof::app
