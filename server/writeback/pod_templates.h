// The pod templates and suspend fields of the kinds that make pods.
#pragma once

#include <string>
#include <vector>

#include "server/document/json_objects.h"

namespace trellis {

struct RoleTemplate {
  std::string pod_set;
  Json* pod_template = nullptr;
};

// The templates of an owner by the names of its PodSets, as far as they are written. Valid until
// keys of the owner change.
std::vector<RoleTemplate> pod_templates(Json& owner);

// The object whose `suspend` holds the owner back; null: its kind has no such field.
Json* suspended_by(Json& owner);
bool is_suspended(const Json& owner);

}  // namespace trellis
