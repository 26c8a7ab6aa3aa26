#include "app/ranks.hpp"
#include "lib/error.hpp"

#include <optional>

namespace kvproof::app {
namespace {

constexpr char fine = '0'; // then the result; else a failure: its code's place in the list, then its line

std::string failure(ErrorCode code, const std::string& line) {
    return std::string(1, static_cast<char>('1' + static_cast<int>(code))) + line;
}

} // namespace

std::vector<std::string> together(const std::function<std::string()>& work) {
    std::string mine;
    try {
        mine = fine + work();
    } catch (const Error& error) {
        mine = failure(error.code(), error.what());
    } catch (const std::exception& error) {
        mine = failure(ErrorCode::internal, std::string("internal error: ") + error.what());
    }
    std::vector<std::string> all = exchange(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank].front() != fine)
            throw Error(static_cast<ErrorCode>(all[rank].front() - '1'),
                        (rank == 0 ? "" : "rank " + std::to_string(rank) + ": ") + all[rank].substr(1));
    }
    for (std::string& text : all) text.erase(0, 1);
    return all;
}

} // namespace kvproof::app
