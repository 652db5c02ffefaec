// Column kernels are compiled for several instruction sets; the loader takes the best one. Results
// are equal on each: kernels hold no reassociated floating point.
#pragma once

// Sanitizers are not up yet when the loader asks which clone to take.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TRELLIS_SANITIZED)
#define TRELLIS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRELLIS_CLONES
#endif
