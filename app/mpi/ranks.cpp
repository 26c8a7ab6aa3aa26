// kvproof-mpi: the processes that mpirun started.

#include "app/ranks.hpp"
#include "lib/error.hpp"

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <numeric>

namespace kvproof::app {

void start_ranks(int* argc, char*** argv) {
    int provided = 0; // threads compute; only the main one talks to other ranks
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
}

void finish_ranks() {
    MPI_Finalize();
}

int own_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int rank_count() {
    int count = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    return count;
}

std::vector<std::string> exchange(const std::string& mine) {
    const std::uint64_t own = mine.size();
    std::vector<std::uint64_t> all(static_cast<std::size_t>(rank_count()));
    MPI_Allgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    // every rank knows the sum: all of them throw, or none, and nobody waits for one that has left
    if (std::accumulate(all.begin(), all.end(), std::uint64_t{0}) > std::numeric_limits<int>::max())
        throw Error(ErrorCode::internal, "ranks: too many bytes to exchange");
    const std::vector<int> sizes(all.begin(), all.end());
    std::vector<int> begins(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
    std::string bytes(static_cast<std::size_t>(begins.back() + sizes.back()), '\0');
    MPI_Allgatherv(mine.data(), static_cast<int>(own), MPI_CHAR, bytes.data(), sizes.data(), begins.data(),
                   MPI_CHAR, MPI_COMM_WORLD);
    std::vector<std::string> out;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank)
        out.push_back(
            bytes.substr(static_cast<std::size_t>(begins[rank]), static_cast<std::size_t>(sizes[rank])));
    return out;
}

} // namespace kvproof::app
