// Which threads give way to which: Linux keeps a niceness per thread.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace trellis {

// Of the calling thread. Lowering it is for the privileged: a refusal leaves it as it is.
inline void set_niceness(int niceness) {
  if (niceness == 0) return;
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
}

}  // namespace trellis
