// Receives signals on request instead of by interruption.
#pragma once

#include <csignal>
#include <optional>

namespace trellis {

enum class Signal { Terminate, Reload };

// From construction on, SIGTERM, SIGINT and SIGHUP stay pending until they are waited for, on this
// thread and on the threads that it starts.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // nullopt: none has come for a second.
  std::optional<Signal> wait_a_second();

 private:
  sigset_t waited_for_;
  sigset_t before_;
};

}  // namespace trellis
