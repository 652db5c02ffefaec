// The action interface: one step of a cycle, over an open session.
#pragma once

#include <string_view>

namespace trellis {

class Session;

class Action {
 public:
  virtual ~Action() = default;
  virtual std::string_view name() const = 0;  // static storage
  virtual void run(Session& session) = 0;
};

}  // namespace trellis
