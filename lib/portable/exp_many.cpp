#include "lib/portable/exp_many.hpp"

#include "lib/error.hpp"

#include <string>

namespace kvproof {

namespace {

struct ExpMany {
    template <std::size_t lanes>
    [[gnu::always_inline]] static inline void run(const double* in, double* out, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) out[i] = portable::exp(in[i]);
    }
};

} // namespace

void exp_many(std::span<const double> in, std::span<double> out, Instructions instructions) {
    if (in.size() != out.size())
        throw Error(ErrorCode::internal, "exp_many: " + std::to_string(in.size()) + " arguments, room for " +
                                             std::to_string(out.size()) + " values");
    run_kernel<ExpMany>(instructions, in.data(), out.data(), in.size());
}

} // namespace kvproof
