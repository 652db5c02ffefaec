// Returns freed memory of this process to the system.
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace trellis {

// Makes the threads of this process share a few heaps, so that memory that one thread has freed
// serves the others. To be called before there are threads.
inline void share_heaps() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 2);
#endif
}

// Returns free memory to the system. Use it after large work that is not repeated soon. Takes
// milliseconds.
inline void release_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace trellis
