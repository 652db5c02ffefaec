// Returns freed memory of this process to the system.
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace trellis {

// Its threads share a few heaps, so that what one has freed serves the others. To be called before
// there are threads.
inline void share_heaps() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 2);
#endif
}

// Gives back what is free: after something large that does not come again soon. Takes milliseconds.
inline void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace trellis
