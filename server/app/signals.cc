#include "server/app/signals.h"

#include <pthread.h>

#include <ctime>
#include <initializer_list>

namespace trellis {

Signals::Signals() {
  sigemptyset(&waited_for_);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&waited_for_, signal);
  pthread_sigmask(SIG_BLOCK, &waited_for_, &before_);
}

Signals::~Signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::optional<Signal> Signals::wait_a_second() {
  timespec second{.tv_sec = 1, .tv_nsec = 0};
  int signal = sigtimedwait(&waited_for_, nullptr, &second);
  if (signal < 0) return std::nullopt;
  return signal == SIGHUP ? Signal::Reload : Signal::Terminate;
}

}  // namespace trellis
