#include "server/kube/bind/claim_grants.h"

#include <string>
#include <utility>

#include "devices/extended.h"
#include "plugins/devices/own_resources.h"
#include "server/devices/allocation_output.h"
#include "server/document/json_objects.h"

namespace trellis {
namespace {

// The same at each try, so that an answer that is lost makes no second claim.
std::string name_of_extended(const Pod& pod) {
  constexpr size_t kMostOfPod = 200;
  constexpr size_t kOfUid = 8;
  std::string uid(pod.uid.view());
  return std::string(pod.name.view()).substr(0, kMostOfPod) + "-extended-resources-" +
         uid.substr(0, kOfUid);
}

std::string spec_text(const devices::Claim& claim) {
  Json requests = Json::array();
  for (const devices::Request& request : claim.requests) {
    const devices::Alternative& wanted = request.alternatives.front();
    requests.push_back({{"name", request.name},
                        {"exactly",
                         {{"deviceClassName", wanted.device_class},
                          {"allocationMode", "ExactCount"},
                          {"count", wanted.count}}}});
  }
  return one_line({{"devices", {{"requests", std::move(requests)}}}});
}

std::string mappings_text(const std::vector<devices::RequestMapping>& mappings) {
  Json list = Json::array();
  for (const devices::RequestMapping& mapping : mappings) {
    list.push_back({{"containerName", mapping.container},
                    {"resourceName", mapping.resource},
                    {"requestName", mapping.request}});
  }
  return one_line(list);
}

void describe_extended(const Cluster& cluster, PodId id, NodeId node, ClaimGrant& grant) {
  const PodSlot& slot = cluster.pods()[id];
  std::vector<devices::Class> classes;
  for (const auto& [name, one] : cluster.devices().classes) classes.push_back(*one.device_class);
  const devices::ExtendedPod& asked = *cluster.pod_classes()[slot.pod_class].devices->extended;
  devices::ExtendedClaim made = devices::extended_claim(
      asked, own_resources(cluster.nodes()[node], asked, cluster.vocabulary()),
      devices::classes_by_age(std::move(classes)));
  grant.name = name_of_extended(slot.pod);
  grant.spec = spec_text(made.claim);
  grant.mappings = mappings_text(made.mappings);
}

}  // namespace

std::vector<ClaimGrant> grants_of(const Cluster& cluster, PodId pod, const PodOutcome& outcome) {
  std::vector<ClaimGrant> grants;
  const StringTable& strings = cluster.vocabulary().strings;
  const std::string uid(cluster.pods()[pod].pod.uid.view());
  for (const DeviceGrant& device : outcome.details().devices) {
    ClaimGrant grant;
    if (device.claim.valid()) {
      grant.name = strings.view(device.claim);
      StrId name_space = cluster.pods()[pod].pod.name_space;
      auto known = cluster.devices().claims.find(full_key(strings, name_space, grant.name));
      if (known != cluster.devices().claims.end()) {
        grant.group = known->second.group;
        grant.group_uid = known->second.group_uid;
      }
    }
    if (!device.before) {
      // Shares of one device by different claims need different ids.
      grant.allocation = allocation_json(*device.allocation, uid + "/" + grant.name);
    }
    if (!device.claim.valid()) describe_extended(cluster, pod, outcome.node, grant);
    grants.push_back(std::move(grant));
  }
  return grants;
}

}  // namespace trellis
