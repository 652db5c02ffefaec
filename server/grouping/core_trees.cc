#include "server/grouping/core_trees.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "server/grouping/gang_request.h"
#include "server/objects/decode_subgroups.h"

namespace trellis {
namespace {

constexpr std::string_view kCompositeKind = "CompositePodGroup";
constexpr std::string_view kRenamed = "compositepodgroup.";

Reason tree_reason(ReasonCode code, std::string_view subject) {
  Reason reason;
  reason.code = code;
  reason.subject = subject;
  return reason;
}

// What an API server calls several priorities in one tree: the topmost group's counts.
bool agrees(const PodGroupRecord& child, const PodGroupRecord& root) {
  bool same_class = child.spec.priority_class == root.spec.priority_class;
  return same_class && child.core->priority == root.core->priority;
}

}  // namespace

CoreTrees::CoreTrees(const Records& records, FieldReader& fields) : fields_(fields) {
  for (const PodGroupRecord& record : records.pod_groups) {
    bool in_tree = record.core && (record.core->inner || record.core->parent.valid());
    if (!in_tree) continue;
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->record = &record;
    by_key_.emplace(record.meta.key, nodes_.back().get());
  }
  if (nodes_.empty()) return;
  const StringTable& strings = fields_.vocabulary().strings;
  std::sort(nodes_.begin(), nodes_.end(), [&](const auto& a, const auto& b) {
    auto key = [&](const ObjectKey& k) {
      return std::tuple(strings.view(k.name_space), strings.view(k.name), strings.view(k.kind));
    };
    return key(a->record->meta.key) < key(b->record->meta.key);
  });
  find_parents();
  open_circles();
  for (const auto& node : nodes_) {
    if (node->parent != nullptr) node->parent->children.push_back(node.get());
  }
  for (const auto& node : nodes_) {
    if (node->parent == nullptr) make_gang(*node);
  }
}

const ObjectKey* CoreTrees::gang_of(const ObjectKey& group) const {
  auto found = gang_of_.find(group);
  return found == gang_of_.end() ? nullptr : &found->second;
}

void CoreTrees::find_parents() {
  const StringTable& strings = fields_.vocabulary().strings;
  StrId kind = fields_.intern(kCompositeKind);
  ObjectSet reported;
  for (const auto& node : nodes_) {
    const CoreGroupSpec& core = *node->record->core;
    if (!core.parent.valid()) continue;
    const ObjectKey& own = node->record->meta.key;
    ObjectKey key{own.group, kind, own.name_space, core.parent};
    auto found = by_key_.find(key);
    if (found != by_key_.end()) {
      node->parent = found->second;
      continue;
    }
    node->lost = true;
    if (!reported.insert(key).second) continue;
    fields_.report().warning(core.parent_at,
                             {"the CompositePodGroup " + in_quotes(strings.view(core.parent)) +
                                  ", which is not in the input",
                              "the name of a CompositePodGroup (the gang waits)", ""});
  }
}

// Removes the parent of one group of each circle: the first one by name.
void CoreTrees::open_circles() {
  for (const auto& start : nodes_) {
    Node* at = start.get();
    while (at != nullptr && at->walk == nullptr) {
      at->walk = start.get();
      at = at->parent;
    }
    if (at == nullptr || at->walk != start.get()) continue;
    Node* first = at;
    for (Node* next = at->parent; next != at; next = next->parent) {
      bool earlier = fields_.vocabulary().strings.view(next->record->meta.key.name) <
                     fields_.vocabulary().strings.view(first->record->meta.key.name);
      if (earlier) first = next;
    }
    const CoreGroupSpec& core = *first->record->core;
    std::string_view parent = fields_.vocabulary().strings.view(core.parent);
    fields_.report().error(core.parent_at,
                           {in_quotes(parent) + ", which is below this CompositePodGroup itself",
                            "a CompositePodGroup above it", ""});
    first->lost = true;
    first->parent = nullptr;
  }
}

void CoreTrees::make_gang(const Node& root) {
  const PodGroupRecord& record = *root.record;
  gangs_.push_back(std::make_unique<PodGroupRecord>(record));
  PodGroupRecord& gang = *gangs_.back();
  if (root.lost) {
    gang.errors.push_back(tree_reason(ReasonCode::SubgroupTree,
                                      fields_.vocabulary().strings.view(record.core->parent)));
  }
  if (!record.core->inner) {
    gang_of_.emplace(record.meta.key, record.meta.key);
    return;
  }
  add_subgroups(root, gang);
  gang.min_member = needed_pods(gang);
}

// Parents before their children.
void CoreTrees::add_subgroups(const Node& root, PodGroupRecord& gang) {
  struct Open {
    const Node* node = nullptr;
    int32_t parent = -1;
    size_t level = 0;
  };
  gang_of_.emplace(gang.meta.key, gang.meta.key);
  std::vector<Open> open;
  auto open_children = [&](const Node& node, int32_t at, size_t level) {
    for (size_t i = node.children.size(); i-- > 0;) {
      open.push_back({node.children[i], at, level});
    }
  };
  open_children(root, -1, 1);
  size_t deepest = 0;
  while (!open.empty()) {
    Open next = open.back();
    open.pop_back();
    const PodGroupRecord& record = *next.node->record;
    gang_of_.emplace(record.meta.key, gang.meta.key);
    deepest = std::max(deepest, next.level);
    if (!gang.meta.error) gang.meta.error = record.meta.error;
    if (!agrees(record, *root.record)) {
      fields_.report().warning(
          Place{record.meta.pos, ""},
          {"another priority than that of " + std::string(kCompositeKind) + " " +
               in_quotes(fields_.vocabulary().strings.view(gang.meta.key.name)),
           "the same (the priority of the topmost group counts)", ""});
    }
    SubgroupRecord one;
    one.inner = record.core->inner;
    StructureRequest request;
    request.add(record.spec);
    request.add(record.keys);
    if (!request.topology.constraint.empty()) {
      one.topology = SharedValue<PlacedConstraint>(std::move(request.topology));
    }
    one.subgroup.name = name_of(*next.node, root);
    one.subgroup.parent = next.parent;
    one.subgroup.min_member = record.min_member;
    one.subgroup.min_subgroup = record.min_subgroup;
    one.subgroup.leaves_whole = record.core->leaves_whole;
    open_children(*next.node, static_cast<int32_t>(gang.subgroups.size()), next.level + 1);
    gang.subgroups.push_back(std::move(one));
  }
  auto exceed = [&](std::string_view what, size_t found, size_t most) {
    Reason reason = tree_reason(ReasonCode::SubgroupLimit, what);
    reason.found = static_cast<int64_t>(found);
    reason.needed = static_cast<int64_t>(most);
    gang.errors.push_back(std::move(reason));
    gang.subgroups.clear();
  };
  if (gang.subgroups.size() > kMostSubgroups) {
    exceed({}, gang.subgroups.size(), kMostSubgroups);
  } else if (deepest > kMostSubgroupLevels) {
    exceed("levels", deepest, kMostSubgroupLevels);
  }
}

// The leaves keep the names by which pods name them.
StrId CoreTrees::name_of(const Node& node, const Node& root) {
  const ObjectKey& key = node.record->meta.key;
  if (!node.record->core->inner) return key.name;
  ObjectKey leaf = key;
  leaf.kind = fields_.intern("PodGroup");
  auto found = by_key_.find(leaf);
  if (found == by_key_.end()) return key.name;
  const Node* top = found->second;
  while (top->parent != nullptr) top = top->parent;
  if (top != &root) return key.name;
  return fields_.intern(std::string(kRenamed) +
                        std::string(fields_.vocabulary().strings.view(key.name)));
}

}  // namespace trellis
