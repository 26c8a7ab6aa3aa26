#include "lib/attention/vector_kernels.hpp"

#include "lib/portable/instructions.hpp"
#include "lib/portable/lanes.hpp"

namespace kvproof {
namespace {

/// The choice is made once: it costs more than a short vector.
const Instructions instructions = best_instructions();

struct AddScaled {
    template <int lanes>
    [[gnu::always_inline]] static void run(double* y, double factor, const double* x, std::size_t count) {
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes) Lanes<lanes>::at(y + i) += factor * Lanes<lanes>::at(x + i);
        for (; i < count; ++i) y[i] += factor * x[i];
    }
};

struct AddSquares {
    template <int lanes>
    [[gnu::always_inline]] static void run(double* y, const double* x, std::size_t count) {
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes)
            Lanes<lanes>::at(y + i) += Lanes<lanes>::at(x + i) * Lanes<lanes>::at(x + i);
        for (; i < count; ++i) y[i] += x[i] * x[i];
    }
};

struct Subtract {
    template <int lanes>
    [[gnu::always_inline]] static void run(double* out, const double* x, const double* y, std::size_t count) {
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes)
            Lanes<lanes>::at(out + i) = Lanes<lanes>::at(x + i) - Lanes<lanes>::at(y + i);
        for (; i < count; ++i) out[i] = x[i] - y[i];
    }
};

struct DotProduct {
    template <int lanes>
    [[gnu::always_inline]] static double run(const double* x, const double* y, std::size_t count) {
        const std::size_t whole = count / strip * strip;
        double sum = dot<lanes>(x, y, whole);
        double rest = 0;
        for (std::size_t i = whole; i < count; ++i) rest += x[i] * y[i];
        return sum + rest;
    }
};

} // namespace

void add_scaled(double* y, double factor, const double* x, std::size_t count) {
    run_kernel<AddScaled>(instructions, y, factor, x, count);
}

void add_squares(double* y, const double* x, std::size_t count) {
    run_kernel<AddSquares>(instructions, y, x, count);
}

void subtract(double* out, const double* x, const double* y, std::size_t count) {
    run_kernel<Subtract>(instructions, out, x, y, count);
}

double dot_product(const double* x, const double* y, std::size_t count) {
    return run_kernel<DotProduct>(instructions, x, y, count);
}

} // namespace kvproof
