#include "server/kube/status/object_patch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "server/writeback/pod_templates.h"

namespace trellis {
namespace {

using Path = std::vector<std::string>;

Json& object_below(Json& root, const Path& path) {
  Json* at = &root;
  for (const std::string& key : path) at = &object_at(*at, key.c_str());
  return *at;
}

Path below(const Path& path, const std::string& key) {
  Path longer = path;
  longer.push_back(key);
  return longer;
}

}  // namespace

Json merge_patch_between(const Json& before, const Json& after) {
  struct Pair {
    const Json* before;
    const Json* after;
    Path at;
  };
  Json patch = Json::object();
  std::vector<Pair> pairs = {{&before, &after, {}}};
  while (!pairs.empty()) {
    Pair pair = std::move(pairs.back());
    pairs.pop_back();
    for (const auto& [key, value] : pair.before->items()) {
      if (!pair.after->contains(key)) object_below(patch, pair.at)[key] = nullptr;
    }
    for (const auto& [key, value] : pair.after->items()) {
      auto known = pair.before->find(key);
      bool is_there = known != pair.before->end();
      if (is_there && known->is_object() && value.is_object()) {
        pairs.push_back({&*known, &value, below(pair.at, key)});
      } else if (!is_there || *known != value) {
        object_below(patch, pair.at)[key] = value;
      }
    }
  }
  return patch;
}

std::optional<ApiRequest> patch_request(const LiveObject& object, const Json& before,
                                        const Json& after, WritePart part, Guard guard) {
  auto part_of = [part](const Json& whole) {
    Json taken = Json::object();
    for (const auto& [key, value] : whole.items()) {
      if ((key == "status") == (part == WritePart::Status)) taken[key] = value;
    }
    return taken;
  };
  Json patch = merge_patch_between(part_of(before), part_of(after));
  if (patch.empty()) return std::nullopt;
  auto metadata = before.find("metadata");
  if (metadata != before.end() && metadata->is_object()) {
    Json& named = object_at(patch, "metadata");
    named["uid"] = text_at(*metadata, "uid");
    if (guard == Guard::SameVersion) {
      named["resourceVersion"] = text_at(*metadata, "resourceVersion");
    }
  }
  bool apart = part == WritePart::Status && object.has_status;
  return ApiRequest{.method = "PATCH",
                    .target = object.path + (apart ? "/status" : ""),
                    .body = one_line(patch),
                    .content_type = kMergePatch};
}

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
