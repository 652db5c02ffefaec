// The memory of this process, and the niceness of its threads, which Linux keeps per thread:
// threads of a higher one give way to others.
#pragma once

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __GLIBC__
#endif

namespace trellis {

// Sets the niceness of the calling thread. Lowering it takes privileges: a refusal leaves it as it
// is.
inline void set_niceness(int niceness) {
  if (niceness == 0) return;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
}

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
