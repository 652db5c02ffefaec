#include "server/grouping/owners.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "framework/vocabulary.h"
#include "server/document/document.h"

namespace trellis {
namespace {

constexpr size_t kLongestChain = 32;

}  // namespace

Owners::Owners(Records& records, Vocabulary& vocabulary, Report& report)
    : records_(records), vocabulary_(vocabulary), report_(report) {
  objects_.reserve(records_.owners.size());
  for (OwnerRecord& owner : records_.owners) objects_.emplace(owner.meta.key, &owner);
}

// Few owners are pods: in most readings none is, and no pod is looked up.
const PodRecord* Owners::find_pod(const ObjectKey& key) {
  const StringTable& strings = vocabulary_.strings;
  if (strings.view(key.kind) != "Pod" || !strings.view(key.group).empty()) return nullptr;
  if (pods_.empty()) {
    pods_.reserve(records_.pods.size());
    for (const PodRecord& pod : records_.pods) pods_.emplace(pod.meta.key, &pod);
  }
  auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : found->second;
}

const OwnerChain& Owners::chain(const ObjectKey& owner, SourcePos pos) {
  if (!owner.valid()) return none_;
  auto found = known_.find(owner);
  if (found != known_.end()) return *found->second;
  chains_.push_back(follow(owner, pos));
  known_.emplace(owner, &chains_.back());
  return chains_.back();
}

std::string_view Owners::priority_class(const OwnerChain& chain, const Labels& pod_labels) const {
  bool decided = !chain.gang.valid() || !chain.priority_class.empty();
  if (decided) return chain.priority_class;
  const StringTable& strings = vocabulary_.strings;
  bool of_replica_set =
      strings.view(chain.gang.kind) == "ReplicaSet" && strings.view(chain.gang.group) == "apps";
  // Many dumps leave ReplicaSets out: the label shows which pods a Deployment made.
  bool deployed =
      of_replica_set && find_label(pod_labels, strings.find("pod-template-hash")).valid();
  return deployed ? find_owner_kind("apps", "Deployment")->priority_class : "";
}

OwnerChain Owners::follow(const ObjectKey& owner, SourcePos pos) {
  auto text = [this](StrId id) { return vocabulary_.strings.view(id); };
  OwnerChain chain;
  std::vector<ObjectKey> seen;
  bool divided = false;
  ObjectKey next = owner;
  while (next.valid()) {
    std::string_view kind = text(next.kind);
    // The node that owns a static pod is where the pod runs, not what the pod is part of.
    if (kind == "Node" && text(next.group).empty()) break;
    if (std::find(seen.begin(), seen.end(), next) != seen.end()) {
      report_.error(Place{pos, ""}, {"owner references that lead back to " + std::string(kind) +
                                         " " + in_quotes(text(next.name)),
                                     "a chain of owners that ends", ""});
      return {};
    }
    if (seen.size() >= kLongestChain) {
      report_.error(
          Place{pos, ""},
          {"a chain of more than " + std::to_string(kLongestChain) + " owners", "fewer", ""});
      return {};
    }
    seen.push_back(next);
    chain.top = next;
    const OwnerKind* known = find_owner_kind(text(next.group), kind);
    if (known != nullptr && chain.priority_class.empty()) {
      chain.priority_class = known->priority_class;
    }
    if (!divided && known != nullptr && known->grouping != Grouping::Together) {
      divided = true;
      bool below = known->grouping == Grouping::EachBelow;
      chain.gang = below && seen.size() > 1 ? seen[seen.size() - 2] : next;
      if (!below) chain.grouping = known->grouping;
      chain.group_label = known->group_label;
    }
    auto object = objects_.find(next);
    if (object != objects_.end()) {
      object->second->used = true;
      chain.objects.push_back(object->second);
      next = object->second->meta.owner;
      continue;
    }
    const PodRecord* pod = find_pod(next);
    next = pod == nullptr ? ObjectKey() : pod->meta.owner;
  }
  if (!divided) chain.gang = chain.top;
  for (OwnerRecord* object : chain.objects) {
    if (object->meta.key == chain.gang) chain.of_gang = object;
  }
  return chain;
}

}  // namespace trellis
