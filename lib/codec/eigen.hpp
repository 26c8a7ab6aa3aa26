#pragma once

// What every file that uses Eigen includes before it. Left to itself, Eigen asks the processor for the sizes
// of its caches and blocks products by them, and so adds in an order that is the processor's: the last bits
// of a decomposition, and what is allocated by them, would differ between machines. Without asking it takes
// fixed sizes. One thread, whatever the compiler's flags.
#define EIGEN_NO_CPUID
#define EIGEN_DONT_PARALLELIZE
