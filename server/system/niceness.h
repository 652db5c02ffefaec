// The niceness of threads, which Linux keeps per thread: threads of a higher one give way to
// others.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace trellis {

// Sets the niceness of the calling thread. Lowering it takes privileges: a refusal leaves it as it
// is.
inline void set_niceness(int niceness) {
  if (niceness == 0) return;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
}

}  // namespace trellis
