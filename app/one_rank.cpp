// kvproof without MPI: one process.

#include "app/ranks.hpp"

namespace kvproof::app {

void start_ranks(int* /*argc*/, char*** /*argv*/) {}

void finish_ranks() {}

int own_rank() {
    return 0;
}

int rank_count() {
    return 1;
}

std::vector<std::string> exchange(const std::string& mine) {
    return {mine};
}

} // namespace kvproof::app
