// An action: one step of a cycle, over an open session.
#pragma once

#include <string_view>

namespace trellis {

class Session;

struct Action {
  std::string_view name;  // static storage
  void (*run)(Session& session) = nullptr;
};

}  // namespace trellis
