#include "server/app/signals.h"

#include <pthread.h>

#include <initializer_list>

namespace trellis {

Signals::Signals() {
  sigemptyset(&waited_for_);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&waited_for_, signal);
  pthread_sigmask(SIG_BLOCK, &waited_for_, &before_);
}

Signals::~Signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Signal Signals::wait() {
  int signal = 0;
  while (sigwait(&waited_for_, &signal) != 0) {
  }
  return signal == SIGHUP ? Signal::Reload : Signal::Terminate;
}

}  // namespace trellis
