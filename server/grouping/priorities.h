// Priority classes by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/vocabulary.h"
#include "server/objects/records.h"

namespace trellis {

class Priorities {
 public:
  Priorities(const std::vector<PriorityClassRecord>& classes, const Vocabulary& vocabulary);

  // The value of a class of the input, else of a class that KAI or Kubernetes brings along.
  std::optional<int32_t> find(StrId name) const;
  std::optional<int32_t> global_default() const { return default_; }
  // The pod's own priority. API servers write 0 into a pod that no class gives a priority: such a 0
  // does not count.
  std::optional<int32_t> of_pod(const PodRecord& pod) const;
  int32_t otherwise() const { return otherwise_; }  // where nothing names a class
  // Whether pods of the class may move others; for an unknown class the value where none is named.
  bool moves_others(StrId name) const;
  std::string nearest(std::string_view word) const;

 private:
  const StringTable& strings_;
  std::vector<std::pair<StrId, int32_t>> classes_;  // by id
  std::vector<StrId> never_;                        // classes that preempt no pod; by id
  std::optional<int32_t> default_;
  int32_t otherwise_;
  bool moves_otherwise_ = true;
};

}  // namespace trellis
