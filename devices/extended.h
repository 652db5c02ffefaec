// Extended resources that devices serve: the claim that a pod gets for them (KEP-5004).
//
// A class may stand for a resource such as "example.com/gpu", and always stands for
// "deviceclass.resource.kubernetes.io/CLASS". On a node without such a resource of its own, devices
// of the class serve the pods that request it: the scheduler makes one claim for all of a pod's.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/model.h"

namespace trellis::devices {

// resource -> class. REQUIRES: classes in the order in which they were seen: of two classes for one
// resource the newer counts, then the lower name, and a class that loses when it is seen has no
// implicit resource either.
std::map<std::string, std::string, std::less<>> classes_by_resource(
    const std::vector<Class>& classes);
// The same, where the order is that in which an API server creates them.
std::map<std::string, std::string, std::less<>> classes_by_age(std::vector<Class> classes);

struct ContainerRequests {
  std::string name;
  // Of an init container: it does not end, but runs beside the others.
  bool sidecar = false;
  // By name; all resources, also those that no device serves.
  std::map<std::string, int64_t> amounts;
  auto operator<=>(const ContainerRequests&) const = default;
};

struct ExtendedPod {
  std::string name_space;
  std::vector<ContainerRequests> init_containers;
  std::vector<ContainerRequests> containers;
  auto operator<=>(const ExtendedPod&) const = default;
};

// Which container may use which request of the claim.
struct RequestMapping {
  std::string container;
  std::string resource;
  std::string request;
  auto operator<=>(const RequestMapping&) const = default;
};

struct ExtendedClaim {
  // A resource that neither the node nor a class has.
  bool refused = false;
  // Without requests: the pod needs no claim.
  Claim claim;
  std::vector<RequestMapping> mappings;
};

// `allocatable`: what the node itself has of each resource.
ExtendedClaim extended_claim(const ExtendedPod& pod,
                             const std::map<std::string, int64_t>& allocatable,
                             const std::map<std::string, std::string, std::less<>>& classes);

// The classes of the resources that the pod names.
std::map<std::string, std::string> classes_of(
    const ExtendedPod& pod, const std::map<std::string, std::string, std::less<>>& classes);

}  // namespace trellis::devices
