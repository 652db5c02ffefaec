// The selectors of all terms between pods, and which of them select a pod.
//
// A namespace that no object describes has the one label that Kubernetes gives every namespace:
// kubernetes.io/metadata.name.
// Cost: matching a pod O(its labels + selectors that name one of them or none).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/name_space.h"
#include "framework/pod.h"
#include "framework/string_table.h"

namespace trellis {

class PodSelectors {
 public:
  struct Interned {
    PodSelectorId id;
    bool fresh = false;
  };
  // REQUIRES: the selector is settled, and selects something.
  Interned intern(const PodSelector& selector);

  bool selects(PodSelectorId id, const Pod& pod, StringTable& strings);
  std::vector<PodSelectorId> matching(const Pod& pod, StringTable& strings);  // sorted

  // Stores the labels of a namespace; known_labels() of an unknown namespace are empty.
  void know(StrId name_space, StringTable& strings) { labels_of(name_space, strings); }
  const Labels& known_labels(StrId name_space) const;
  std::vector<NameSpace> name_spaces() const;  // that are known, by id of the name

  // True when terms may select other pods of the namespace now.
  bool set_name_space(NameSpace name_space, StringTable& strings);

 private:
  const Labels& labels_of(StrId name_space, StringTable& strings);

  IndexedVector<PodSelectorId, PodSelector> selectors_;
  std::map<PodSelector, PodSelectorId> ids_;
  // By a label that the pod must have, where a selector names one; never iterated.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, std::vector<PodSelectorId>> by_label_;
  std::vector<PodSelectorId> others_;
  bool reads_name_spaces_ = false;
  absl::flat_hash_map<uint32_t, Labels> name_spaces_;  // never iterated
};

}  // namespace trellis
