// Column kernels are compiled for several instruction sets; the loader chooses the best one.
// Results are equal on all of them: kernels do not reassociate floating-point operations.
#pragma once

// Sanitizers are not initialized yet when the loader calls the function that chooses a clone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TRELLIS_SANITIZED)
#define TRELLIS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRELLIS_CLONES
#endif
