// The dependencies between one object of a live cluster and other objects, so that after a change
// only the objects that depend on it are read again.
//
// Objects of one namespace refer to each other by names: of a PodGroup, an owner, a claim, a
// workload. Each such name is a key, and an object has roles at its keys. Keys are hashes: the
// objects of two keys with one hash are read together, which does no harm.
#pragma once

#include <cstdint>
#include <vector>

namespace trellis {

// By what objects are found.
enum class KeyKind : uint8_t {
  Nothing,     // no object is found by this name
  Everything,  // all objects depend on the object: a queue, a topology, a class, ...
  Name,        // of an object that may be a gang or a workload, or an owner of one
  PodGroup,    // the same; pods that name it are no gang of their own
  Claim,       // a PersistentVolumeClaim
  Volume,
  ResourceClaim,
  LocalQueue,
  Node,     // a node and its NodeResourceTopology
  PodsOn,   // a node's pods, which its NodeResourceTopology is compared with
  Service,  // pods that share a label
  // Pods of a namespace that are each a gang of their own under their owner. They are read together
  // only where one of them depends on more than its own owner.
  Alone,
};

struct DependencyKey {
  // Bits of `roles`.
  static constexpr uint8_t kReads = 1;         // its result depends on objects that provide the key
  static constexpr uint8_t kProvides = 2;      // readers depend on its text and on its own result
  static constexpr uint8_t kProvidesText = 4;  // readers depend on its text alone
  static constexpr uint8_t kBinds = 8;  // because of it, all readers of the key provide it, too
  static constexpr uint8_t kReadsAndProvides = kReads | kProvides;

  uint64_t hash = 0;
  uint8_t roles = 0;
  bool operator==(const DependencyKey&) const = default;
};

struct Dependencies {
  // What must be read again when the object changes: the objects that depend on it, or everything.
  enum class Reach : uint8_t { Dependents, Everything };
  Reach reach = Reach::Dependents;
  bool local_queue = false;
  std::vector<DependencyKey> keys;  // by key, each once

  bool operator==(const Dependencies&) const = default;
};

}  // namespace trellis
