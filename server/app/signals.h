// Signals that are asked for instead of interrupting.
#pragma once

#include <csignal>

namespace trellis {

enum class Signal { Terminate, Reload };

// From its making on, SIGTERM, SIGINT and SIGHUP wait to be taken, on this thread and on those that
// it starts.
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
