// The objects as the API server last reported them, by name. Writes are made from these, as they
// are newer than what any cycle saw.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/text/stored_text.h"

namespace trellis {

struct LiveObject {
  std::string path;         // "/api/v1/namespaces/default/pods/a"
  bool has_status = false;  // its status is written apart from the rest, at path + "/status"
  std::string text;
};

// Any thread may call.
class LiveObjects {
 public:
  virtual ~LiveObjects() = default;

  // nullopt: there is no such object, or its kind is not watched.
  virtual std::optional<LiveObject> find(std::string_view group, std::string_view kind,
                                         std::string_view name_space,
                                         std::string_view name) const = 0;
  // The path where objects of the kind are created; empty: the server has no such kind.
  virtual std::string collection(std::string_view group, std::string_view kind,
                                 std::string_view name_space) const = 0;
  // All objects of a kind by name, "NAMESPACE/NAME" or "NAME", in that order.
  using Named = std::map<std::string, StoredText, std::less<>>;
  virtual Named list(std::string_view group, std::string_view kind) const = 0;
};

}  // namespace trellis
