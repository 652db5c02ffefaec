// What is kept of each object between its decoding and the moment when all are known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/disruption_budget.h"
#include "framework/gang.h"
#include "framework/ids.h"
#include "framework/name_space.h"
#include "framework/node.h"
#include "framework/queue.h"
#include "framework/time.h"
#include "framework/topology.h"
#include "server/manifest/manifest.h"
#include "server/manifest/place.h"
#include "server/manifest/workload_keys.h"
#include "session/objects.h"

namespace trellis {

// How objects name each other. Two versions of one kind are one kind; two groups are two.
struct ObjectKey {
  StrId group;  // "" for the core group
  StrId kind;
  StrId name_space;
  StrId name;
  bool valid() const { return name.valid(); }
  auto operator<=>(const ObjectKey&) const = default;
};

struct Meta {
  ObjectKey key;
  std::string uid;
  TimeUs created = kNoTime;
  ObjectKey owner;  // the controller, else the first owner; not valid: none
  StrId pool;       // the label that tells shards apart; not valid: it bears none
  SourcePos pos;
};

// A constraint as it was written, with the place of each of its words.
struct PlacedConstraint {
  TopologyConstraint constraint;
  Place topology;
  Place required;
  Place preferred;
  bool implies_topology = false;  // a level may stand alone where one topology alone has it
};

struct PlacedWord {
  StrId text;
  Place at;
  bool valid() const { return text.valid(); }
};

// What keys say of a gang's inner structure, not understood yet.
struct StructureKeys {
  PlacedWord segment_size;
  PlacedWord segment_required;
  PlacedWord segment_preferred;
  PlacedWord segment_layers;  // several at once, as JSON
  PlacedWord balance;
  bool has_segment() const {
    return segment_size.valid() || segment_required.valid() || segment_preferred.valid();
  }
};

// What keys say of where pods go, not understood yet.
struct PreferenceKeys {
  PlacedWord list;  // as JSON
  PlacedWord max_per_node;
};

enum class Preemptibility : uint8_t { Unset, Preemptible, NonPreemptible };

// What labels and annotations say of the gang that an object belongs to. The same keys are read on
// pods, on their templates, on their owners and on PodGroups.
struct GangKeys {
  StrId pod_group;
  StrId queue;
  StrId priority_class;
  Preemptibility preemptibility = Preemptibility::Unset;
  std::shared_ptr<const PlacedConstraint> topology;   // null: nothing said
  std::shared_ptr<const StructureKeys> structure;     // null: nothing said
  std::shared_ptr<const PreferenceKeys> preferences;  // null: nothing said
};

struct PodRecord {
  Meta meta;
  PodObject object;  // without its gang
  GangKeys keys;
  std::shared_ptr<const Place> subgroup_at;      // null: it names none
  std::shared_ptr<const WorkloadKeys> workload;  // null: nothing said
  std::optional<int32_t> priority;               // spec.priority
  StrId priority_class;                          // spec.priorityClassName
  bool moves_others = true;                      // spec.preemptionPolicy is not Never
  std::vector<StrId> claims;                     // PersistentVolumeClaims, by name
  bool broken = false;                           // has errors
};

// A PersistentVolumeClaim: that it is there is all that counts.
struct ClaimRecord {
  Meta meta;
};

struct NodeRecord {
  Meta meta;
  Node node;
};

struct NumaRecord {
  Meta meta;
  NumaTopology topology;
};

struct PriorityClassRecord {
  Meta meta;
  int32_t value = 0;
  bool global_default = false;
  bool moves_others = true;  // preemptionPolicy is not Never
};

struct TopologyRecord {
  Meta meta;
  Topology topology;
  bool broken = false;
};

struct QueueRecord {
  Meta meta;
  struct SharePlaces {
    Place quota;
    Place limit;
  };
  Queue queue;
  Place parent;
  SharePlaces gpu;
  SharePlaces cpu;
  SharePlaces memory;
  bool broken = false;
};

struct SubgroupRecord {
  Subgroup subgroup;  // without its constraint
  std::shared_ptr<const PlacedConstraint> topology;
  bool inner = false;  // others are below it
};

struct PodGroupRecord {
  Meta meta;
  GangKeys keys;  // of its labels and annotations
  GangKeys spec;  // of its spec
  int32_t min_member = 1;
  int32_t min_subgroup = Subgroup::kAll;
  std::vector<SubgroupRecord> subgroups;  // parents before their children
  std::vector<Reason> errors;             // of their tree, reported already
  std::optional<TimeUs> preemption_delay;
  std::optional<TimeUs> staleness_grace;
  TimeUs last_start = kNoTime;   // of its running pods
  TimeUs stale_since = kNoTime;  // it has run below its minimum
  Place queue;                   // where the spec names it
  bool broken = false;
};

struct JobRecord {
  PodRecord pod;  // what the template makes, without a name
  int64_t parallelism = 1;
  std::optional<int64_t> completions;
  bool indexed = false;
  bool over = false;  // suspended, complete or failed: no more pods
  int64_t succeeded = 0;
  int64_t backoff_limit = 6;
  std::vector<std::pair<int64_t, int64_t>> completed;  // ranges of indexes, both ends included
  Place parallelism_at;
  bool broken = false;
  // With keep_raw, of the template, as JSON.
  std::string raw_annotations;
  std::string raw_finalizers;
  std::string raw_spec;
  // Set when the Job is expanded.
  int64_t min_member = 1;
};

// Any object that may own pods, or own what owns pods.
struct OwnerRecord {
  Meta meta;
  GangKeys keys;
  GangKeys of_template;
  int64_t group_size = 0;          // pods of one group of a LeaderWorkerSet; 0: it is none
  std::unique_ptr<JobRecord> job;  // of a batch Job
  bool used = false;               // some pod leads to it
};

struct BudgetRecord {
  Meta meta;
  DisruptionBudget budget;
};

struct NameSpaceRecord {
  Meta meta;
  NameSpace name_space;
};

struct Records {
  std::vector<NameSpaceRecord> name_spaces;
  std::vector<NumaRecord> numas;
  std::vector<NodeRecord> nodes;
  std::vector<PodRecord> pods;
  std::vector<PriorityClassRecord> priority_classes;
  std::vector<TopologyRecord> topologies;
  std::vector<QueueRecord> queues;
  std::vector<PodGroupRecord> pod_groups;
  std::vector<OwnerRecord> owners;
  std::vector<BudgetRecord> budgets;
  std::vector<ClaimRecord> claims;
  std::optional<CycleObject> cycle;
};

}  // namespace trellis
