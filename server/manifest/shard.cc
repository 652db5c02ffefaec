#include "server/manifest/shard.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "server/grouping/owners.h"
#include "server/manifest/manifest.h"
#include "server/objects/label_key.h"
#include "server/objects/object_key.h"

namespace trellis {
namespace {

constexpr size_t kMostValueBytes = 63;

bool is_label_value(std::string_view text) {
  auto may_stand = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return text.size() <= kMostValueBytes && std::all_of(text.begin(), text.end(), may_stand);
}

std::string object_name(std::string_view kind, std::string_view name_space, std::string_view name) {
  std::string text(kind);
  text.append("/").append(name_space).append("/").append(name);
  return text;
}

class ShardCutter {
 public:
  ShardCutter(const Shard& shard, const Pools& labels, Records& records, FieldReader& fields)
      : labels_(labels),
        records_(records),
        strings_(fields.vocabulary().strings),
        ours_(fields.intern_if(shard.value)),
        owners_(records, fields.vocabulary(), fields.report()) {}

  OtherShards run() {
    for (const PodGroupRecord& group : records_.pod_groups) {
      StrId pool = label_of(group.meta.key);
      if (!pool.valid()) pool = of_owners(group.meta);
      pools_.emplace(gang_of(group.meta.key.name_space, group.meta.key.name), pool);
    }
    take_pools_of_parents();
    for (PodRecord& pod : records_.pods) note_pool(pod);
    cut(records_.nodes,
        [this](const NodeRecord& node) { return label_of(node.meta.key) == ours_; });
    for (const NodeRecord& node : records_.nodes) nodes_.insert(node.node.name);
    cut_pods();
    cut(records_.pod_groups, [this](const PodGroupRecord& group) {
      return pool_of(gang_of(group.meta.key.name_space, group.meta.key.name)) == ours_;
    });
    cut(records_.queues,
        [this](const QueueRecord& queue) { return label_of(queue.meta.key) == ours_; });
    return std::move(other_shards_);
  }

 private:
  // A group of Kubernetes' own without a pool is in that of the nearest group around it.
  void take_pools_of_parents() {
    for (size_t level = 0; level < kMostSubgroupLevels; ++level) {
      bool changed = false;
      for (const PodGroupRecord& group : records_.pod_groups) {
        if (!group.core || !group.core->parent.valid()) continue;
        StrId& pool = pools_.at(gang_of(group.meta.key.name_space, group.meta.key.name));
        auto parent = pools_.find(gang_of(group.meta.key.name_space, group.core->parent));
        if (pool.valid() || parent == pools_.end()) continue;
        pool = parent->second;
        changed = changed || pool.valid();
      }
      if (!changed) return;
    }
  }

  // The key of a gang here: its PodGroup's name, without a kind.
  static ObjectKey gang_of(StrId name_space, StrId group) {
    return {StrId(), StrId(), name_space, group};
  }

  // Not valid: the object does not have the label.
  StrId label_of(const ObjectKey& object) const {
    auto found = labels_.find(object);
    return found == labels_.end() ? StrId() : found->second;
  }

  // The key under which the pool of a pod's gang is stored; the pod's own where it is alone.
  ObjectKey gang_of(const PodRecord& pod) {
    const OwnerChain& chain = owners_.chain(pod.meta.owner, pod.meta.pos);
    StrId group = pod.keys.pod_group;
    if (!group.valid() && pod.core_group) group = pod.core_group->key.name;
    for (size_t i = 0; !group.valid() && i < chain.objects.size(); ++i) {
      group = chain.objects[i]->of_template.pod_group;
    }
    if (group.valid()) return gang_of(pod.meta.key.name_space, group);
    bool grouped = chain.gang.valid() && chain.grouping != Grouping::EachPod;
    return grouped ? chain.gang : pod.meta.key;
  }

  // The label of the topmost owner that has it.
  StrId of_owners(const Meta& meta) {
    const OwnerChain& chain = owners_.chain(meta.owner, meta.pos);
    for (size_t i = chain.objects.size(); i-- > 0;) {
      StrId pool = label_of(chain.objects[i]->meta.key);
      if (pool.valid()) return pool;
    }
    return {};
  }

  void note_pool(const PodRecord& pod) {
    StrId& pool = pools_[gang_of(pod)];
    if (!pool.valid()) pool = of_owners(pod.meta);
    StrId own = label_of(pod.meta.key);
    if (pool.valid() || !own.valid()) return;
    // The order in which pods are read does not matter: the first by name counts.
    Word& word = words_[gang_of(pod)];
    std::string_view name = strings_.view(pod.meta.key.name);
    if (!word.pool.valid() || name < word.name) word = {name, own};
  }

  StrId pool_of(const ObjectKey& gang) const {
    StrId pool = pools_.at(gang);
    if (pool.valid()) return pool;
    auto word = words_.find(gang);
    return word == words_.end() ? StrId() : word->second.pool;
  }

  void cut_pods() {
    PodRecords kept;
    for (PodRecord& pod : records_.pods) {
      bool is_ours = pool_of(gang_of(pod)) == ours_;
      if (!is_ours && !nodes_.contains(pod.object.pod.node)) {
        leave_out(pod.meta.key);
        continue;
      }
      if (!is_ours) make_used_room(pod);
      kept.push_back(std::move(pod));
    }
    records_.pods = std::move(kept);
  }

  // Makes a pod of another shard used room on a node of ours, in no gang of ours.
  static void make_used_room(PodRecord& pod) {
    pod.keys = {};
    pod.meta.owner = {};
    pod.subgroup_at = nullptr;
    pod.object.pod.subgroup = {};
    pod.workload = nullptr;
    pod.object.pod.hold = PodHold::OtherScheduler;
  }

  void leave_out(const ObjectKey& key) {
    other_shards_.names.insert(object_name(strings_.view(key.kind), strings_.view(key.name_space),
                                           strings_.view(key.name)));
  }

  template <class Record, class Stays>
  void cut(std::vector<Record>& records, Stays stays) {
    for (const Record& record : records) {
      if (!stays(record)) leave_out(record.meta.key);
    }
    std::erase_if(records, [&](const Record& record) { return !stays(record); });
  }

  struct Word {
    std::string_view name;
    StrId pool;
  };

  const Pools& labels_;
  Records& records_;
  const StringTable& strings_;
  StrId ours_;
  Owners owners_;
  ObjectMap<StrId> pools_;  // of gangs, by the label of their PodGroup or owners
  ObjectMap<Word> words_;   // of gangs without that label, by their pods
  absl::flat_hash_set<SharedText, TextHash, TextEqual> nodes_;
  OtherShards other_shards_;
};

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  size_t sign = text.find('=');
  Shard shard{std::string(text.substr(0, sign)), ""};
  if (sign != std::string_view::npos) shard.value = text.substr(sign + 1);
  if (!is_label_key(shard.key) || !is_label_value(shard.value)) {
    return error(std::string(text) + " is no label: expected KEY=VALUE, or KEY for what lacks it");
  }
  return shard;
}

bool OtherShards::holds(const RawObject& object) const {
  return !names.empty() && names.contains(object_name(object.kind, object.name_space, object.name));
}

OtherShards restrict_to(const Shard& shard, const Pools& pools, Records& records,
                        FieldReader& fields) {
  return ShardCutter(shard, pools, records, fields).run();
}

}  // namespace trellis
