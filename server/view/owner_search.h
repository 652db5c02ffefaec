// Finds the gangs or workloads that an object made which makes pods: a Job, a Deployment, a JobSet.
//
// The cluster holds no such objects. Their gangs are found by the names that the reader gives them
// (`server/grouping/gang_names.h`) and by the labels that controllers set on pods; their workloads
// by the names that Kueue gives them. Cost: O(pods + gangs + workloads).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/pod.h"
#include "framework/string_table.h"

namespace trellis {

struct OwnerName {
  std::string kind;        // in lower case and in full: "deployment"
  std::string name_space;  // "": any
  std::string name;
};

struct KnownObjects {
  const std::vector<std::string>& gangs;      // "namespace/name"
  const std::vector<std::string>& workloads;  // the same
  std::span<const Pod* const> pods;
  const StringTable& strings;
};

struct MadeObjects {
  enum class Kind : uint8_t { Gang, Workload };
  Kind kind = Kind::Gang;
  std::vector<std::string> names;  // in the order in which they are known; empty: none is known
  // The gangs have other names than the owner: its pods are in them, as those of a JobSet's Job are
  // in the gang of the JobSet.
  bool by_pods = false;
};

MadeObjects made_by(const OwnerName& owner, const KnownObjects& known);

// Whether a label of the pod says that an object of this kind and name made it.
bool is_labelled(const OwnerName& owner, const Pod& pod, const StringTable& strings);

// "gang" or "workload".
std::string_view name_of(MadeObjects::Kind kind);

}  // namespace trellis
