// The dependencies between the text of one object of a live cluster and other texts, so that after
// a change only the texts that depend on it are read again.
//
// Objects of one namespace refer to each other by names: of a PodGroup, an owner, a claim, a
// workload. Each such name is a topic, and an object has roles in its topics. Whatever the reader
// looks up by name must be a topic of both objects; a superfluous topic only costs time. Topics are
// hashes: the texts of two topics with one hash are read together, which does no harm.
// Cost: O(bytes of the text).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trellis {

struct TextLink {
  // Bits of `roles`.
  static constexpr uint8_t kReads = 1;      // its result depends on objects that tell here
  static constexpr uint8_t kTells = 2;      // readers depend on its text and on its own result
  static constexpr uint8_t kTellsText = 4;  // readers depend on its text alone
  static constexpr uint8_t kBinds = 8;      // because of it, all readers of the topic tell, too
  static constexpr uint8_t kJoins = kReads | kTells;

  uint64_t topic = 0;
  uint8_t roles = 0;
  bool operator==(const TextLink&) const = default;
};

struct TextLinks {
  // What must be read again when the object changes: the texts that depend on it, or everything.
  // Everything is for the few objects that all others depend on: queues, topologies, classes, ...
  enum class Reach : uint8_t { Linked, Everything };
  Reach reach = Reach::Linked;
  bool local_queue = false;
  uint64_t content = 0;         // hash of all parts of the text that are read
  std::vector<TextLink> links;  // by topic, one for each

  bool operator==(const TextLinks&) const = default;
};

// Whether the result of a pod depends on its node's text, as with a shard, which has some nodes.
enum class PodsRead : uint8_t { NoNodes, Nodes };

// `text` is one object as JSON. A text that is no object has no dependencies.
TextLinks read_text_links(const std::string& text, PodsRead pods_read = PodsRead::NoNodes);

}  // namespace trellis
