// Receives signals on request instead of by interruption.
#pragma once

#include <csignal>

namespace trellis {

enum class Signal { Terminate, Reload };

// From construction on, SIGTERM, SIGINT and SIGHUP stay pending until wait() takes them, on this
// thread and on the threads that it starts.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  Signal wait();

 private:
  sigset_t waited_for_;
  sigset_t before_;
};

}  // namespace trellis
