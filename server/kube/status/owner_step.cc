#include "server/kube/status/owner_step.h"

#include <algorithm>
#include <vector>

#include "server/kube/status/object_patch.h"
#include "server/simulate/pod_templates.h"

namespace trellis {
namespace {

bool is_suspended(Json owner) {
  const Json* holder = suspended_by(owner);
  return holder != nullptr && holder->contains("suspend") && (*holder)["suspend"] == true;
}

bool same_templates(Json before, Json after) {
  std::vector<RoleTemplate> old = pod_templates(before);
  std::vector<RoleTemplate> wanted = pod_templates(after);
  return std::ranges::equal(old, wanted, [](const RoleTemplate& a, const RoleTemplate& b) {
    return *a.pod_template == *b.pod_template;
  });
}

}  // namespace

OwnerStep next_owner_step(const LiveObject& object, const Json& before, const Json& after) {
  auto patch_to = [&](const Json& wanted, WritePart part) {
    return patch_request(object, before, wanted, part, Guard::SameVersion);
  };
  if (is_suspended(after) && !is_suspended(before)) {
    Json suspended = before;
    (*suspended_by(suspended))["suspend"] = true;
    return {.request = patch_to(suspended, WritePart::Start), .more = true};
  }
  OwnerStep last{.request = patch_to(after, WritePart::Start)};
  if (!last.request || text_at(before, "kind") != "Job" || same_templates(before, after)) {
    return last;
  }
  auto status = before.find("status");
  if (status == before.end() || !status->is_object()) return last;
  auto active = status->find("active");
  if (active != status->end() && *active != 0) return {.not_yet = true};
  if (!status->contains("startTime")) return last;
  Json anew = before;
  anew["status"].erase("startTime");
  return {.request = patch_to(anew, WritePart::Status), .more = true};
}

}  // namespace trellis
