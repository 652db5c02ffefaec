#include "server/kube/status/object_patch.h"

#include <string>
#include <utility>
#include <vector>

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

}  // namespace trellis
