// What the text of one object of a live cluster hangs together with, so that a change of it makes
// only that be read again.
//
// Objects of one namespace find each other by names: of a PodGroup, an owner, a claim, a workload.
// A name is a topic here, and an object says how it takes part in it. Whatever linking looks up by
// name must be a topic of both sides; to say too much costs time alone. Topics are hashes: two that
// are taken for one are read together, which does no harm.
// Cost: O(bytes of the text).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trellis {

struct TextLink {
  // Bits of `roles`.
  static constexpr uint8_t kReads = 1;  // what others tell here decides what becomes of it
  static constexpr uint8_t kTells = 2;  // so does what it says, and what becomes of it, for others
  static constexpr uint8_t kTellsText = 4;  // only what it says itself, for others
  static constexpr uint8_t kBinds = 8;      // because of it, all that read here tell here, too
  static constexpr uint8_t kJoins = kReads | kTells;

  uint64_t topic = 0;
  uint8_t roles = 0;
  bool operator==(const TextLink&) const = default;
};

struct TextLinks {
  // What is to be read again when it changes: what it is linked to; or everything, as of the few
  // objects that all others look at: queues, topologies, classes, flavors, ...
  enum class Reach : uint8_t { Linked, Everything };
  Reach reach = Reach::Linked;
  bool local_queue = false;
  uint64_t content = 0;         // hash of all that is read of it
  std::vector<TextLink> links;  // by topic, each once

  bool operator==(const TextLinks&) const = default;
};

// Whether what becomes of a pod depends on what its node says, as where a shard has some of them.
enum class PodsRead : uint8_t { NoNodes, Nodes };

// `text` is one object as JSON. What is none is linked to nothing.
TextLinks read_text_links(const std::string& text, PodsRead pods_read = PodsRead::NoNodes);

}  // namespace trellis
