#include "server/kube/watch/owner_reference.h"

namespace trellis {

Json owner_reference(const Json& object) {
  Json first;
  const Json::json_pointer path("/metadata/ownerReferences");
  if (!object.is_object() || !object.contains(path)) return first;
  for (const Json& owner : object[path]) {
    if (!owner.is_object()) continue;
    if (owner.contains("controller") && owner["controller"] == true) return owner;
    if (first.is_null()) first = owner;
  }
  return first;
}

std::string group_of(std::string_view api_version) {
  size_t slash = api_version.find('/');
  return std::string(slash == std::string_view::npos ? "" : api_version.substr(0, slash));
}

}  // namespace trellis
