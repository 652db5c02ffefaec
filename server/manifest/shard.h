// A part of a cluster that a scheduler has for itself: the nodes, queues and gangs that bear a
// label with one value, or those that do not bear it at all.
//
// A pod belongs where its gang does: where its PodGroup's label says, else its owners', else its
// own; of a gang whose pods say different things, where the first of them that says anything does.
// What others run on nodes of the shard is used room, and nothing else of it is seen.
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
  std::string value;  // empty: what does not bear the label
};

// "KEY=VALUE", or "KEY" for what does not bear the label.
Result<Shard> parse_shard(std::string_view text);

// read_manifest_texts, of a shard alone.
Manifest read_shard_texts(std::span<const NamedText> texts, Vocabulary& vocabulary,
                          const ReadOptions& options, const Shard& shard);

// The label's value of each object that bears it.
using Pools = ObjectMap<StrId>;

// What was left out, by kind, namespace and name.
struct OtherShards {
  absl::flat_hash_set<std::string> names;
  bool holds(const RawObject& object) const;
};
// Cost: O(objects).
OtherShards restrict_to(const Shard& shard, const Pools& pools, Records& records,
                        FieldReader& fields);

}  // namespace trellis
