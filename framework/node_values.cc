#include "framework/node_values.h"

#include "framework/node_itself.h"
#include "framework/selectors.h"

namespace trellis {

void NodeValues::restart() {
  known_.clear();
  ++generation_;
}

const KeyValues& NodeValues::of(StrId key) const {
  std::unique_ptr<KeyValues>& known = known_[key.value];
  if (known) return *known;
  known = std::make_unique<KeyValues>();
  known->of_node.assign(nodes_.size(), KeyValues::kNone);
  absl::flat_hash_map<uint32_t, int32_t> numbers;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[NodeId(i)];
    if (node.name.empty()) continue;
    StrId value = key == kNodeItself ? StrId(i) : find_label(node.labels, key);
    if (!value.valid()) continue;
    auto [at, fresh] = numbers.try_emplace(value.value, known->count);
    if (fresh) ++known->count;
    known->single = known->single && fresh;
    known->of_node[NodeId(i)] = at->second;
  }
  return *known;
}

}  // namespace trellis
