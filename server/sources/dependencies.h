// The dependencies between the text of one object of a live cluster and other texts, so that after
// a change only the texts that depend on it are read again.
//
// Objects of one namespace refer to each other by names: of a PodGroup, an owner, a claim, a
// workload. Each such name is a key, and an object has roles at its keys. Whatever the reader
// looks up by name must be a key of both objects; a superfluous key only costs time. Keys are
// hashes: the texts of two keys with one hash are read together, which does no harm.
// Cost: O(elements of the object).
#pragma once

#include <cstdint>
#include <vector>

#include "server/document/document.h"

namespace trellis {

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
  // What must be read again when the object changes: the texts that depend on it, or everything.
  // Everything is for the few objects that all others depend on: queues, topologies, classes, ...
  enum class Reach : uint8_t { Dependents, Everything };
  Reach reach = Reach::Dependents;
  bool local_queue = false;
  uint64_t content = 0;             // hash of all parts of the text that are read
  std::vector<DependencyKey> keys;  // by key, each once

  bool operator==(const Dependencies&) const = default;
};

// Whether the result of a pod depends on its node's text, as with a shard, which has some nodes.
enum class PodsRead : uint8_t { NoNodes, Nodes };

// What is no object has no dependencies.
Dependencies read_dependencies(Value object, PodsRead pods_read = PodsRead::NoNodes);

}  // namespace trellis
