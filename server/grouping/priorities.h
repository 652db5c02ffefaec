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

  // Of a class of the input, else of one that KAI or Kubernetes brings along.
  std::optional<int32_t> find(StrId name) const;
  std::optional<int32_t> global_default() const { return default_; }
  // What the pod itself says. API servers write 0 into a pod that no class gives a priority: that
  // says nothing.
  std::optional<int32_t> of_pod(const PodRecord& pod) const;
  int32_t otherwise() const { return otherwise_; }  // where nothing names a class
  // Whether pods of the class may move others; of one that is not there as where none is named.
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
