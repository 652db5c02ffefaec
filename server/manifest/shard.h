// A part of a cluster that a scheduler has for itself: the nodes, queues and gangs that have a
// label with one value, or those without the label.
//
// A pod belongs to the shard of its gang: that of its PodGroup's label, else of its owners' label,
// else of its own; where the pods of a gang have different labels, the first pod that has one
// decides. Pods of other shards on nodes of the shard are used room; nothing else of other shards
// is read.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <span>
#include <string>
#include <string_view>

#include "framework/result.h"
#include "server/manifest/manifest.h"
#include "server/objects/object_key.h"

namespace trellis {

class FieldReader;

struct Shard {
  std::string key;
  std::string value;  // empty: objects without the label
};

// "KEY=VALUE", or "KEY" for objects without the label.
Result<Shard> parse_shard(std::string_view text);

// read_manifest_texts, for one shard only.
Manifest read_shard_texts(std::span<const NamedText> texts, Vocabulary& vocabulary,
                          const ReadOptions& options, const Shard& shard);

// The label's value of each object that has the label.
using Pools = ObjectMap<StrId>;

// The objects that were left out, by kind, namespace and name.
struct OtherShards {
  absl::flat_hash_set<std::string> names;
  bool holds(const RawObject& object) const;
};
// Cost: O(objects).
OtherShards restrict_to(const Shard& shard, const Pools& pools, Records& records,
                        FieldReader& fields);

}  // namespace trellis
