#include "server/objects/dependency_recorder.h"

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "framework/ascii.h"
#include "server/objects/owner_kinds.h"

namespace trellis {
namespace {

uint64_t key_of(KeyKind kind, std::string_view name_space, std::string_view name) {
  uint64_t seed =
      XXH3_64bits_withSeed(name_space.data(), name_space.size(), static_cast<uint64_t>(kind));
  return XXH3_64bits_withSeed(name.data(), name.size(), seed);
}

}  // namespace

void DependencyRecorder::begin(const Kind& kind, std::string_view name_space,
                               std::string_view name) {
  end();
  kind_ = kind.id;
  name_space_ = name_space;
  pods_alone_ = pods_stand_alone(kind.group, kind.kind);
  switch (kind.key) {
    case KeyKind::Nothing:
      break;
    case KeyKind::Everything:
      made_.reach = Dependencies::Reach::Everything;
      break;
    case KeyKind::Name:
      join(name);
      break;
    case KeyKind::Node:
      add(KeyKind::Node, "", name, DependencyKey::kReadsAndProvides);
      if (kind.id == KindId::NodeTopology) add(KeyKind::PodsOn, "", name, DependencyKey::kReads);
      break;
    default:
      made_.local_queue = made_.local_queue || kind.key == KeyKind::LocalQueue;
      add(kind.key, kind.namespaced ? name_space : "", name, DependencyKey::kProvides);
  }
}

void DependencyRecorder::refer(KeyKind kind, std::string_view name) {
  if (name.empty()) return;
  switch (kind) {
    case KeyKind::PodGroup:
      names_group_ = true;
      [[fallthrough]];
    case KeyKind::Name:
      return join(name);
    case KeyKind::Claim:
    case KeyKind::ResourceClaim:
      // Which other pods use a claim counts, so that pods which use it depend on each other's
      // texts.
      return add(kind, name_space_, name, DependencyKey::kReads | DependencyKey::kProvidesText);
    case KeyKind::Node:
      add(KeyKind::PodsOn, "", name, DependencyKey::kProvidesText);
      if (pods_read_ == PodsRead::Nodes) add(kind, "", name, DependencyKey::kReads);
      return;
    case KeyKind::Service:
      service_ = name;
      break;
    default:
      break;
  }
  add(kind, kind == KeyKind::Volume ? "" : name_space_, name, DependencyKey::kReads);
}

void DependencyRecorder::refer_to_owner(const Owner& owner, Value labels) {
  bool is_workload = kind_ == KindId::Workload;
  bool is_node = owner.kind == "Node" && owner.group.empty();
  bool alone = pods_stand_alone(owner.group, owner.kind);
  if (!is_workload && (is_node || alone)) {
    add(KeyKind::Name, name_space_, owner.name, DependencyKey::kReads);
    if (alone) add(KeyKind::Alone, name_space_, "", DependencyKey::kReads);
    stands_alone_ = stands_alone_ || alone;
    return;
  }
  join(owner.name);
  // A gang of pods with the same number in a label has this number in its name (server/grouping).
  const OwnerKind* known = find_owner_kind(owner.group, owner.kind);
  if (known != nullptr && !known->group_label.empty()) {
    std::string_view group = labels[known->group_label].text();
    if (!group.empty()) join(std::string(owner.name) + "-" + std::string(group));
  }
  other_owner_ = true;
  // A pod may be a gang of its own, and the pods that it owns belong to it.
  stands_alone_ = stands_alone_ || (owner.kind == "Pod" && owner.group.empty());
}

// The claim's own record says whether it still needs the volume.
void DependencyRecorder::serve_claim(std::string_view name_space, std::string_view name) {
  add(KeyKind::Claim, name_space, name, DependencyKey::kReads | DependencyKey::kProvidesText);
}

void DependencyRecorder::stand_on(std::string_view node) {
  if (!node.empty()) add(KeyKind::Node, "", node, DependencyKey::kReadsAndProvides);
}

void DependencyRecorder::read_node(std::string_view node) {
  if (!node.empty()) add(KeyKind::Node, "", node, DependencyKey::kReads);
}

Dependencies DependencyRecorder::take() {
  end();
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
  return std::exchange(made_, {});
}

// What depends on the whole object.
void DependencyRecorder::end() {
  if (kind_ == KindId::Pod) {
    if (has_preferences_ && stands_alone_) bind(KeyKind::Alone, "");
    if (has_preferences_ && !service_.empty()) bind(KeyKind::Service, service_);
  } else if (pods_alone_ || stands_alone_) {
    bool plain = pods_alone_ && !names_group_ && !has_preferences_ && !other_owner_;
    if (!plain) bind(KeyKind::Alone, "");
  }
  service_.clear();
  kind_ = KindId::Other;
  pods_alone_ = stands_alone_ = other_owner_ = names_group_ = has_preferences_ = false;
}

void DependencyRecorder::add(KeyKind kind, std::string_view name_space, std::string_view name,
                             int roles) {
  made_.keys.push_back({key_of(kind, name_space, name), static_cast<uint8_t>(roles)});
}

// Reads and provides the key of a name that a gang or a workload may have. A name `kind.name` may
// be that of the gang `name` where two gangs have this name (gang_names.h).
void DependencyRecorder::join(std::string_view name) {
  if (name.empty()) return;
  add(KeyKind::Name, name_space_, name, DependencyKey::kReadsAndProvides);
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    std::string_view rest = name.substr(dot + 1);
    add(KeyKind::Name, name_space_, rest, DependencyKey::kProvides);
    size_t digits = rest.size();
    while (digits > 0 && is_digit(rest[digits - 1])) --digits;
    if (digits == rest.size() || digits == 0 || rest[digits - 1] != '-') continue;
    add(KeyKind::Name, name_space_, rest.substr(0, digits - 1), DependencyKey::kProvides);
  }
}

void DependencyRecorder::bind(KeyKind kind, std::string_view name) {
  add(kind, name_space_, name, DependencyKey::kReadsAndProvides | DependencyKey::kBinds);
}

StrId reference(FieldReader& fields, KeyKind kind, std::string_view name) {
  refer(fields, kind, name);
  return fields.intern_if(name);
}

void refer(FieldReader& fields, KeyKind kind, std::string_view name) {
  if (fields.dependencies() != nullptr) fields.dependencies()->refer(kind, name);
}

}  // namespace trellis
