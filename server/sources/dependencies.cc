#include "server/sources/dependencies.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "framework/ascii.h"
#include "server/document/timestamp.h"
#include "server/grouping/owners.h"
#include "server/objects/decode_meta.h"
#include "server/objects/decoders.h"
#include "server/objects/kinds.h"
#include "server/objects/owner_kinds.h"

namespace trellis {
namespace {

enum class KeyKind : uint8_t {
  Name,   // of an object that may be a gang or a workload, or an owner of one
  Claim,  // a PersistentVolumeClaim
  Volume,
  ResourceClaim,
  LocalQueue,
  Node,     // a node and its NodeResourceTopology
  PodsOn,   // a node's pods, which its NodeResourceTopology is compared with
  Service,  // pods that share a label `app`
  // Pods of a namespace that are each a gang of their own under their owner. They are read together
  // only where one of them depends on more than its own owner.
  Alone,
};

uint64_t key_of(KeyKind kind, std::string_view name_space, std::string_view name) {
  uint64_t seed =
      XXH3_64bits_withSeed(name_space.data(), name_space.size(), static_cast<uint64_t>(kind));
  return XXH3_64bits_withSeed(name.data(), name.size(), seed);
}

// Kinds whose status is not read, although it changes all the time.
constexpr std::array<std::string_view, 9> kStatusUnread = {
    "Queue",      "ClusterQueue", "LocalQueue", "Cohort",   "PodGroup",
    "ReplicaSet", "Deployment",   "DaemonSet",  "Namespace"};

constexpr std::array<std::string_view, 3> kMetaUnread = {"resourceVersion", "generation",
                                                         "managedFields"};

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Sums do not depend on the order of members.
uint64_t member_hash(std::string_view key, uint64_t value) {
  return XXH3_64bits_withSeed(key.data(), key.size(), value);
}

// The values of a condition's times are not read, but a malformed time is an error of the Node.
bool has_right_times(Value condition) {
  for (std::string_view key : {"lastTransitionTime", "lastHeartbeatTime"}) {
    Value time = condition[key];
    bool right = time.absent() || (time.is(ValueKind::String) && parse_timestamp(time.text()));
    if (!right) return false;
  }
  return true;
}

// The last condition of a type counts, so the order counts.
uint64_t conditions_hash(Value conditions) {
  uint64_t hash = 0;
  for (Value condition : conditions.items()) {
    std::array<uint64_t, 3> parts = {hash, content_hash(condition["status"]),
                                     has_right_times(condition) ? 0U : 1U};
    std::string_view type = condition["type"].text();
    hash = XXH3_64bits_withSeed(type.data(), type.size(), XXH3_64bits(parts.data(), sizeof parts));
  }
  return hash;
}

// Leaves out the heartbeats of the kubelet and the node's images.
uint64_t node_status_hash(Value status) {
  if (!status.is(ValueKind::Object)) return content_hash(status);
  uint64_t hash = 0;
  for (Value::Member member : status.members()) {
    if (member.key == "images") continue;
    bool conditions = member.key == "conditions" && member.value.is(ValueKind::Array);
    hash += member_hash(member.key,
                        conditions ? conditions_hash(member.value) : content_hash(member.value));
  }
  return hash;
}

uint64_t metadata_hash(Value metadata) {
  if (!metadata.is(ValueKind::Object)) return content_hash(metadata);
  uint64_t hash = 0;
  for (Value::Member member : metadata.members()) {
    if (is_one_of(kMetaUnread, member.key)) continue;
    hash += member_hash(member.key, content_hash(member.value));
  }
  return hash;
}

uint64_t read_hash(Value object, std::string_view kind) {
  uint64_t hash = 0;
  for (Value::Member member : object.members()) {
    if (member.key == "status" && is_one_of(kStatusUnread, kind)) continue;
    if (member.key == "status" && kind == "Node") {
      hash += member_hash(member.key, node_status_hash(member.value));
    } else if (member.key == "metadata") {
      hash += member_hash(member.key, metadata_hash(member.value));
    } else {
      hash += member_hash(member.key, content_hash(member.value));
    }
  }
  return hash;
}

class DependencyReader {
 public:
  DependencyReader(Value object, PodsRead pods_read)
      : object_(object),
        pods_read_(pods_read),
        metadata_(object["metadata"]),
        kind_(object["kind"].text()),
        known_(find_kind(api_group(object["apiVersion"].text()), kind_)),
        name_space_(metadata_["namespace"].text()),
        name_(metadata_["name"].text()) {
    if (name_space_.empty()) name_space_ = kDefaultNamespace;
  }

  Dependencies run() {
    made_.content = read_hash(object_, kind_);
    read();
    std::vector<DependencyKey>& keys = made_.keys;
    std::sort(keys.begin(), keys.end(),
              [](const DependencyKey& a, const DependencyKey& b) { return a.hash < b.hash; });
    size_t kept = 0;
    for (const DependencyKey& key : keys) {
      if (kept > 0 && keys[kept - 1].hash == key.hash) {
        keys[kept - 1].roles |= key.roles;
      } else {
        keys[kept++] = key;
      }
    }
    keys.resize(kept);
    keys.shrink_to_fit();
    return std::move(made_);
  }

 private:
  void read() {
    switch (known_ == nullptr ? KindId::Other : known_->id) {
      case KindId::Namespace:
      case KindId::DisruptionBudget:
        return;
      case KindId::Node:
        return add(KeyKind::Node, "", name_, DependencyKey::kReadsAndProvides);
      case KindId::NodeTopology:
        add(KeyKind::Node, "", name_, DependencyKey::kReadsAndProvides);
        return add(KeyKind::PodsOn, "", name_, DependencyKey::kReads);
      case KindId::VolumeClaim:
        return read_claim();
      case KindId::ResourceClaim:
        return add(KeyKind::ResourceClaim, name_space_, name_, DependencyKey::kProvides);
      case KindId::LocalQueue:
        made_.local_queue = true;
        return add(KeyKind::LocalQueue, name_space_, name_, DependencyKey::kProvides);
      case KindId::Pod:
        return read_pod();
      default:
        break;
    }
    if (kind_ == "PersistentVolume")
      return add(KeyKind::Volume, "", name_, DependencyKey::kProvides);
    if (known_ != nullptr && !known_->namespaced) {
      made_.reach = Dependencies::Reach::Everything;
      return;
    }
    read_owner();
  }

  void add(KeyKind kind, std::string_view name_space, std::string_view name, int roles) {
    made_.keys.push_back({key_of(kind, name_space, name), static_cast<uint8_t>(roles)});
  }

  // Reads and provides the key of a name that a gang or a workload may have. A name `kind.name` may
  // be that of the gang `name` where two gangs have this name (gang_names.h).
  void join(std::string_view name) {
    if (name.empty()) return;
    add(KeyKind::Name, name_space_, name, DependencyKey::kReadsAndProvides);
    for (size_t dot = name.find('.'); dot != std::string_view::npos;
         dot = name.find('.', dot + 1)) {
      std::string_view rest = name.substr(dot + 1);
      add(KeyKind::Name, name_space_, rest, DependencyKey::kProvides);
      size_t digits = rest.size();
      while (digits > 0 && is_digit(rest[digits - 1])) --digits;
      if (digits == rest.size() || digits == 0 || rest[digits - 1] != '-') continue;
      add(KeyKind::Name, name_space_, rest.substr(0, digits - 1), DependencyKey::kProvides);
    }
  }

  // A gang of pods with the same number in a label has this number in its name (server/grouping).
  void join_group(const OwnerKind* owner, std::string_view name) {
    if (owner == nullptr || owner->group_label.empty()) return;
    std::string_view group = metadata_["labels"][owner->group_label].text();
    if (!group.empty()) join(std::string(name) + "-" + std::string(group));
  }

  void read_owners(bool workload) {
    for (Value reference : metadata_["ownerReferences"].items()) {
      std::string_view kind = reference["kind"].text();
      std::string_view name = reference["name"].text();
      std::string_view group = api_group(reference["apiVersion"].text());
      bool is_node = kind == "Node" && group.empty();
      if (!workload && is_node) {
        add(KeyKind::Name, name_space_, name, DependencyKey::kReads);
      } else if (!workload && pods_stand_alone(group, kind)) {
        add(KeyKind::Name, name_space_, name, DependencyKey::kReads);
        add(KeyKind::Alone, name_space_, "", DependencyKey::kReads);
        stands_alone_ = true;
      } else {
        join(name);
        join_group(find_owner_kind(group, kind), name);
        other_owner_ = true;
        // A pod may be a gang of its own, and the pods that it owns belong to it.
        stands_alone_ = stands_alone_ || (kind == "Pod" && group.empty());
      }
    }
  }

  // Searches for the keys at any depth, as an owner has them in its templates, too.
  void read_keys(Value part) {
    if (!part.exists()) return;
    const Document& document = *part.document();
    uint32_t end = document.after(part.index());
    for (uint32_t at = part.index(); at + 1 < end; ++at) {
      const Document::Element& key = document.element(at);
      if (key.kind != ValueKind::String) continue;
      const Document::Element& value = document.element(at + 1);
      if (value.kind != ValueKind::String) continue;
      std::string_view word = key.view();
      if (word == "pod-group-name") {
        join(value.view());
        names_group_ = true;
      } else if (word == "trellis.scheduler/placement-preferences" ||
                 word == "trellis.scheduler/max-pods-per-node") {
        has_preferences_ = true;
      } else if (word == "kueue.x-k8s.io/queue-name" || word == "queueName") {
        add(KeyKind::LocalQueue, name_space_, value.view(), DependencyKey::kReads);
      } else if (word == "kueue.x-k8s.io/workload" || word == "kueue.x-k8s.io/pod-group-name") {
        join(value.view());
      }
    }
  }

  void read_claim() {
    add(KeyKind::Claim, name_space_, name_, DependencyKey::kProvides);
    std::string_view volume = object_["spec"]["volumeName"].text();
    if (!volume.empty()) add(KeyKind::Volume, "", volume, DependencyKey::kReads);
  }

  void read_pod() {
    join(name_);
    read_owners(false);
    read_keys(metadata_);
    if (stands_alone_ && has_preferences_) bind(KeyKind::Alone, "");
    std::string_view app = metadata_["labels"]["app"].text();
    if (!app.empty()) {
      add(KeyKind::Service, name_space_, app, DependencyKey::kReads);
      if (has_preferences_) bind(KeyKind::Service, app);
    }
    Value spec = object_["spec"];
    read_core_group(spec);
    for (Value volume : spec["volumes"].items()) {
      std::string claim = volume_claim(volume, name_);
      if (!claim.empty()) add(KeyKind::Claim, name_space_, claim, DependencyKey::kReads);
    }
    read_resource_claims(spec);
    std::string_view node = spec["nodeName"].text();
    if (node.empty()) return;
    add(KeyKind::PodsOn, "", node, DependencyKey::kProvidesText);
    if (pods_read_ == PodsRead::Nodes) add(KeyKind::Node, "", node, DependencyKey::kReads);
  }

  // A claim can be reserved for a limited number of pods, so that pods which use it depend on each
  // other's texts.
  void read_resource_claims(Value spec) {
    constexpr int kRoles = DependencyKey::kReads | DependencyKey::kProvidesText;
    if (spec["resourceClaims"].size() == 0) return;
    for (Value entry : spec["resourceClaims"].items()) {
      std::string_view claim = entry["resourceClaimName"].text();
      if (!claim.empty()) add(KeyKind::ResourceClaim, name_space_, claim, kRoles);
    }
    for (Value made : object_["status"]["resourceClaimStatuses"].items()) {
      std::string_view claim = made["resourceClaimName"].text();
      if (!claim.empty()) add(KeyKind::ResourceClaim, name_space_, claim, kRoles);
    }
  }

  // The names of Kubernetes' own groups: a PodGroup, or a copy of a group of a Workload.
  void read_core_group(Value spec) {
    join(spec["schedulingGroup"]["podGroupName"].text());
    Value workload = spec["workloadRef"];
    join(workload["name"].text());
    std::string name(workload["name"].text());
    for (std::string_view key : {"podGroup", "podGroupReplicaKey"}) {
      std::string_view part = workload[key].text();
      if (part.empty()) continue;
      name += "-";
      name += part;
    }
    join(name);
  }

  void read_owner() {
    join(name_);
    read_owners(kind_ == "Workload");
    read_keys(object_);
    bool pods_alone = pods_stand_alone(api_group(object_["apiVersion"].text()), kind_);
    if (!pods_alone && !stands_alone_) return;
    if (names_group_ || has_preferences_ || other_owner_ || !pods_alone) {
      bind(KeyKind::Alone, "");
    }
  }

  void bind(KeyKind kind, std::string_view name) {
    add(kind, name_space_, name, DependencyKey::kReadsAndProvides | DependencyKey::kBinds);
  }

  Value object_;
  PodsRead pods_read_;
  Value metadata_;
  std::string_view kind_;
  const Kind* known_;
  std::string_view name_space_;
  std::string_view name_;
  Dependencies made_;
  bool stands_alone_ = false;  // some owner makes each of its pods a gang of its own
  bool other_owner_ = false;   // some owner does not
  bool names_group_ = false;
  bool has_preferences_ = false;  // it has placement preferences
};

}  // namespace

Dependencies read_dependencies(Value object, PodsRead pods_read) {
  if (!object.is(ValueKind::Object)) return {};
  return DependencyReader(object, pods_read).run();
}

}  // namespace trellis
