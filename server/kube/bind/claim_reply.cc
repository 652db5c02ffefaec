#include "server/kube/bind/claim_reply.h"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

constexpr const char* kClaimsPath = "/apis/resource.k8s.io/v1/namespaces/";
constexpr const char* kFinalizer = "resource.kubernetes.io/delete-protection";
constexpr const char* kForExtended = "resource.kubernetes.io/extended-resource-claim";

std::string path_of(const ClaimPlace& place) {
  return kClaimsPath + place.name_space + "/resourceclaims/" + place.name;
}

Json member(const Json& object, const char* key, Json otherwise) {
  if (!object.is_object()) return otherwise;
  auto found = object.find(key);
  return found != object.end() && found->type() == otherwise.type() ? *found : otherwise;
}

ApiRequest merge_patch(std::string target, const Json& body) {
  return {.method = "PATCH",
          .target = std::move(target),
          .body = one_line(body),
          .content_type = kMergePatch};
}

Json identity(const ClaimReply& read) {
  return {{"uid", read.uid}, {"resourceVersion", read.version}};
}

Json entry_of(const ClaimUser& user) {
  if (user.kind == ClaimUser::Kind::Pod) {
    return {{"resource", "pods"}, {"name", user.name}, {"uid", user.uid}};
  }
  return {{"apiGroup", "scheduling.k8s.io"},
          {"resource", "podgroups"},
          {"name", user.name},
          {"uid", user.uid}};
}

// Request, driver, pool, device: what a result gives.
std::vector<std::string> given(const Json& allocation) {
  std::vector<std::string> texts;
  for (const Json& result :
       member(member(allocation, "devices", Json::object()), "results", Json::array())) {
    texts.push_back(text_at(result, "request") + "\n" + text_at(result, "driver") + "\n" +
                    text_at(result, "pool") + "\n" + text_at(result, "device"));
  }
  std::ranges::sort(texts);
  return texts;
}

bool is_true(const Json& report, const std::string& type) {
  for (const Json& condition : member(report, "conditions", Json::array())) {
    if (text_at(condition, "type") == type) return text_at(condition, "status") == "True";
  }
  return false;
}

// What its driver reports of a device; an empty object: nothing.
Json report_of(const ClaimReply& claim, const Json& result) {
  for (const Json& report : claim.devices) {
    bool same = std::ranges::all_of(
        std::initializer_list<const char*>{"driver", "pool", "device"},
        [&](const char* key) { return text_at(report, key) == text_at(result, key); });
    if (same) return report;
  }
  return Json::object();
}

}  // namespace

bool ClaimReply::is_for(const ClaimUser& user) const {
  return std::ranges::any_of(reserved,
                             [&](const Json& entry) { return text_at(entry, "uid") == user.uid; });
}

bool ClaimReply::is_kept() const {
  return std::ranges::find(finalizers, kFinalizer) != finalizers.end();
}

ClaimReply read_claim_reply(const Json& object) {
  ClaimReply reply;
  const Json metadata = member(object, "metadata", Json::object());
  reply.uid = text_at(metadata, "uid");
  reply.version = text_at(metadata, "resourceVersion");
  reply.leaving = metadata.contains("deletionTimestamp");
  for (const Json& owner : member(metadata, "ownerReferences", Json::array())) {
    if (owner.value("controller", false)) reply.owner = text_at(owner, "uid");
  }
  for (const Json& finalizer : member(metadata, "finalizers", Json::array())) {
    if (finalizer.is_string()) reply.finalizers.push_back(finalizer.get<std::string>());
  }
  const Json status = member(object, "status", Json::object());
  if (auto found = status.find("allocation"); found != status.end()) reply.allocation = *found;
  reply.reserved = member(status, "reservedFor", Json::array());
  reply.devices = member(status, "devices", Json::array());
  return reply;
}

bool same_devices(const Json& allocation, const Json& other) {
  return given(allocation) == given(other);
}

DevicesReady devices_ready(const ClaimReply& claim) {
  DevicesReady ready = DevicesReady::Yes;
  for (const Json& result :
       member(member(claim.allocation, "devices", Json::object()), "results", Json::array())) {
    const Json report = report_of(claim, result);
    for (const Json& type : member(result, "bindingFailureConditions", Json::array())) {
      if (is_true(report, type.get<std::string>())) return DevicesReady::Failed;
    }
    for (const Json& type : member(result, "bindingConditions", Json::array())) {
      if (!is_true(report, type.get<std::string>())) ready = DevicesReady::NotYet;
    }
  }
  return ready;
}

ApiRequest read_claim(const ClaimPlace& place) { return {.target = path_of(place), .body = {}}; }

ApiRequest keep_claim(const ClaimPlace& place, const ClaimReply& read) {
  Json metadata = identity(read);
  metadata["finalizers"] = read.finalizers;
  metadata["finalizers"].push_back(kFinalizer);
  return merge_patch(path_of(place), {{"metadata", std::move(metadata)}});
}

ApiRequest reserve_claim(const ClaimPlace& place, const ClaimReply& read, const Json& allocation,
                         const std::vector<ClaimUser>& users, const std::string& now_text) {
  Json status = Json::object();
  if (!allocation.is_null()) {
    status["allocation"] = allocation;
    status["allocation"]["allocationTimestamp"] = now_text;
  }
  status["reservedFor"] = read.reserved;
  for (const ClaimUser& user : users) {
    if (!read.is_for(user)) status["reservedFor"].push_back(entry_of(user));
  }
  return merge_patch(path_of(place) + "/status",
                     {{"metadata", identity(read)}, {"status", std::move(status)}});
}

ApiRequest release_claim(const ClaimPlace& place, const ClaimReply& read,
                         const std::vector<ClaimUser>& users) {
  Json left = Json::array();
  for (const Json& entry : read.reserved) {
    bool ours = std::ranges::any_of(
        users, [&](const ClaimUser& user) { return text_at(entry, "uid") == user.uid; });
    if (!ours) left.push_back(entry);
  }
  Json status = Json::object();
  if (left.empty()) {
    status = {{"allocation", nullptr}, {"reservedFor", nullptr}, {"devices", nullptr}};
  } else {
    status["reservedFor"] = std::move(left);
  }
  return merge_patch(path_of(place) + "/status",
                     {{"metadata", identity(read)}, {"status", std::move(status)}});
}

ApiRequest make_claim(const ClaimPlace& place, const ClaimUser& owner, const std::string& spec) {
  Json reference = {{"apiVersion", "v1"}, {"kind", "Pod"},      {"name", owner.name},
                    {"uid", owner.uid},   {"controller", true}, {"blockOwnerDeletion", true}};
  Json metadata = {{"name", place.name},
                   {"namespace", place.name_space},
                   {"annotations", {{kForExtended, "true"}}},
                   {"ownerReferences", Json::array({std::move(reference)})}};
  Json claim = {{"apiVersion", "resource.k8s.io/v1"},
                {"kind", "ResourceClaim"},
                {"metadata", std::move(metadata)},
                {"spec", parse_object(spec)}};
  return {.method = "POST",
          .target = kClaimsPath + place.name_space + "/resourceclaims",
          .body = one_line(claim)};
}

ApiRequest name_claim_in_pod(const ClaimPlace& place, const ClaimUser& owner,
                             const std::string& mappings) {
  Json status = {{"resourceClaimName", place.name}, {"requestMappings", parse_object(mappings)}};
  return merge_patch("/api/v1/namespaces/" + place.name_space + "/pods/" + owner.name + "/status",
                     {{"metadata", {{"uid", owner.uid}}},
                      {"status", {{"extendedResourceClaimStatus", std::move(status)}}}});
}

}  // namespace trellis
