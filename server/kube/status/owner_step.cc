#include "server/kube/status/owner_step.h"

#include <algorithm>
#include <vector>

#include "server/kube/status/object_patch.h"
#include "server/writeback/pod_templates.h"

namespace trellis {
namespace {

bool is_batch_job(const Json& owner) {
  return text_at(owner, "kind") == "Job" && text_at(owner, "apiVersion").starts_with("batch/");
}

bool same_templates(Json before, Json after) {
  std::vector<RoleTemplate> old = pod_templates(before);
  std::vector<RoleTemplate> wanted = pod_templates(after);
  return std::ranges::equal(old, wanted, [](const RoleTemplate& a, const RoleTemplate& b) {
    return *a.pod_template == *b.pod_template;
  });
}

// A Job's template cannot change while the Job runs.
Json with_templates_of(const Json& before, Json after) {
  after["spec"]["template"] = before["spec"]["template"];
  return after;
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
  if (!is_batch_job(before) || same_templates(before, after)) {
    return {.request = patch_to(after, WritePart::Start)};
  }
  if (!is_suspended(before)) {
    return {.request = patch_to(with_templates_of(before, after), WritePart::Start)};
  }
  Json status = before.value("status", Json::object());
  if (!status.is_object()) status = Json::object();
  if (status.value("active", Json(0)) != 0) return {.not_yet = true};
  if (!status.contains("startTime")) return {.request = patch_to(after, WritePart::Start)};
  Json restarted = before;
  restarted["status"].erase("startTime");
  return {.request = patch_to(restarted, WritePart::Status), .more = true};
}

}  // namespace trellis
