// A ResourceClaim as the API server returned it, and the requests that change it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/document/json_objects.h"
#include "server/kube/bind/pod_write.h"
#include "server/kube/client/api_request.h"

namespace trellis {

// A pod, or a PodGroup for all of its pods, that has a claim: an entry of `status.reservedFor`.
struct ClaimUser {
  enum class Kind : uint8_t { Pod, Group };
  std::string name;
  std::string uid;
  Kind kind = Kind::Pod;
  bool operator==(const ClaimUser&) const = default;
};

struct ClaimReply {
  std::string uid;
  std::string version;
  std::string owner;  // uid of the controller
  bool leaving = false;
  std::vector<std::string> finalizers;
  Json allocation;  // null: none
  Json reserved = Json::array();
  Json devices = Json::array();  // what drivers report of them

  bool is_for(const ClaimUser& user) const;
  // Whether its finalizer keeps the claim while it is allocated.
  bool is_kept() const;
};

ClaimReply read_claim_reply(const Json& object);

// Whether both give the same devices to the same requests.
bool same_devices(const Json& allocation, const Json& other);

// What drivers have to report of some devices before a pod may be bound (`bindingConditions`).
enum class DevicesReady : uint8_t { Yes, NotYet, Failed };
DevicesReady devices_ready(const ClaimReply& claim);

struct ClaimPlace {
  std::string name_space;
  std::string name;
};
ApiRequest read_claim(const ClaimPlace& place);
// Each names the version that was read, so that it never overrides another write.
ApiRequest keep_claim(const ClaimPlace& place, const ClaimReply& read);
// `allocation`: null: the claim has one. `now_text`: the time, as RFC 3339.
ApiRequest reserve_claim(const ClaimPlace& place, const ClaimReply& read, const Json& allocation,
                         const std::vector<ClaimUser>& users, const std::string& now_text);
// Takes the claim from the users; a claim without other users loses its devices.
ApiRequest release_claim(const ClaimPlace& place, const ClaimReply& read,
                         const std::vector<ClaimUser>& users);
// Of a claim for extended resources.
ApiRequest make_claim(const ClaimPlace& place, const ClaimUser& owner, const std::string& spec);
ApiRequest name_claim_in_pod(const ClaimPlace& place, const ClaimUser& owner,
                             const std::string& mappings);

}  // namespace trellis
