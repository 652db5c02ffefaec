// The names that Kueue gives to the workloads of other objects.
#pragma once

#include <string>
#include <string_view>

namespace trellis {

struct WorkloadOwner {
  std::string_view group;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
};

// KIND-NAME-HASH: the kind in lower case, and five digits that distinguish owners of one name.
std::string workload_name(const WorkloadOwner& owner);

}  // namespace trellis
