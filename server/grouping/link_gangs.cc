#include "server/grouping/link_gangs.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/document/object_error.h"
#include "server/grouping/core_groups.h"
#include "server/grouping/core_trees.h"
#include "server/grouping/gang_draft.h"
#include "server/grouping/gang_names.h"
#include "server/grouping/gang_request.h"
#include "server/grouping/gang_run_time.h"
#include "server/grouping/joint_gangs.h"
#include "server/grouping/link_preferences.h"
#include "server/grouping/link_structure.h"
#include "server/grouping/missing_names.h"
#include "server/grouping/named_groups.h"
#include "server/grouping/owners.h"
#include "server/grouping/priorities.h"
#include "server/grouping/saved_gang_times.h"
#include "server/objects/decode_pod.h"
#include "server/objects/object_key.h"

namespace trellis {
namespace {

constexpr std::string_view kPodGroupGroup = "scheduling.run.ai";
constexpr std::string_view kJointGroup = "trellis.scheduler";
constexpr int32_t kFirstNonPreemptible = 100;  // KAI's boundary

class GangLinker {
 public:
  GangLinker(Records& records, FieldReader& fields)
      : records_(records),
        fields_(fields),
        strings_(fields.vocabulary().strings),
        owners_(records, fields.vocabulary(), fields.report()),
        priorities_(records.priority_classes, fields.vocabulary()),
        structures_(records, owners_, fields),
        preferences_(fields),
        names_(fields.vocabulary()),
        groups_(records, strings_),
        trees_(records, fields) {}

  std::vector<Gang> run() {
    for (PodGroupRecord& group : records_.pod_groups) {
      if (trees_.gang_of(group.meta.key) == nullptr) draft(group.meta.key).group = &group;
    }
    for (const auto& gang : trees_.gangs()) draft(gang->meta.key).group = gang.get();
    for (PodRecord& pod : records_.pods) add_pod(pod);
    for (const QueueRecord& queue : records_.queues) {
      queues_.emplace(queue.meta.key.name.value, !queue.meta.broken());
      if (!queue.meta.broken() && queue.queue.parent.valid()) {
        inner_.insert((*queue.queue.parent).value);
      }
    }
    order_drafts();
    shape_drafts();
    std::vector<Gang> gangs;
    gangs.reserve(drafts_.size());
    for (const GangDraft* draft : ordered_) gangs.push_back(make_gang(*draft));
    if (records_.cycle) set_saved_times(records_.cycle->gang_times, strings_, gangs);
    count_services();
    missing_.warn(records_, strings_, fields_.report());
    return gangs;
  }

 private:
  GangDraft& draft(const ObjectKey& key) {
    auto [found, added] = by_key_.emplace(key, drafts_.size());
    if (added) {
      drafts_.push_back(std::make_unique<GangDraft>());
      drafts_.back()->key = key;
    }
    return *drafts_[found->second];
  }

  void add_pod(PodRecord& pod) {
    StrId group = pod.keys.pod_group;
    const OwnerChain& chain = owners_.chain(pod.meta.owner, pod.meta.pos);
    // A PodGroup that a template names also holds for pods that lost the name.
    for (size_t i = 0; !group.valid() && i < chain.objects.size(); ++i) {
      group = chain.objects[i]->of_template.pod_group;
    }
    ObjectKey key = pod.meta.key;
    bool named = group.valid() || pod.core_group;
    StrId joint = named ? StrId() : JointGangs::name_of(chain, pod);
    if (group.valid()) {
      key = {fields_.intern(kPodGroupGroup), fields_.intern("PodGroup"), pod.meta.key.name_space,
             group};
    } else if (pod.core_group) {
      key = pod.core_group->key;
      if (const ObjectKey* gang = trees_.gang_of(key)) {
        pod.object.pod.subgroup = key.name;
        key = *gang;
      }
      if (!by_key_.contains(key)) draft(key).group = groups_.of_workload(*pod.core_group);
    } else if (chain.gang.valid() && chain.grouping != Grouping::EachPod) {
      key = chain.gang;
      if (chain.grouping == Grouping::EachGroup) key.name = group_name(chain, pod);
      const ObjectKey* copy = joint.valid() ? nullptr : groups_.copy_for(key);
      if (copy != nullptr) {
        key = *copy;
        named = true;
      } else if (!joint.valid() && !by_key_.contains(key) && chain.of_gang != nullptr &&
                 key == chain.of_gang->meta.key) {
        draft(key).group = groups_.of_job(chain.of_gang);
      }
    }
    if (joint.valid()) {
      ObjectKey all{fields_.intern(kJointGroup), fields_.intern("Gang"), key.name_space, joint};
      joints_.add(all, key, chain, pod);
      key = all;
    }
    GangDraft& gang = draft(key);
    gang.named_group = gang.named_group || named;
    if (gang.chain == nullptr || !gang.chain->top.valid()) gang.chain = &chain;
    gang.pods.push_back(&pod);
  }

  // The name of the gang of one of the owner's groups. Pods of no group are a gang of their own.
  StrId group_name(const OwnerChain& chain, const PodRecord& pod) {
    StrId group = find_label(pod.object.pod.labels, strings_.find(chain.group_label));
    if (!group.valid()) return chain.gang.name;
    std::string name(strings_.view(chain.gang.name));
    name += "-";
    name += strings_.view(group);
    return fields_.intern(name);
  }

  // Sets what owners specify for gangs without a PodGroup. A workload's roles stay with the
  // workload.
  void shape_drafts() {
    OwnerGangs gangs(records_, owners_, strings_);
    for (const auto& draft : drafts_) {
      if (draft->chain == nullptr || !draft->owner_is_first()) continue;
      if (joints_.contains(draft->key)) {
        draft->of_owner = joints_.make(gangs, draft->key);
      } else if (of_workload(*draft)) {
        draft->of_owner.min_member = gangs.least_of_jobs(*draft->chain, draft->pods);
      } else {
        draft->of_owner = gangs.make(*draft->chain, draft->pods);
      }
    }
  }

  std::string group_field(const ObjectKey& key) const {
    if (strings_.view(key.group) == kPodGroupGroup) return "pod-group-name";
    return strings_.view(key.kind) == "Workload" ? "workloadRef" : "schedulingGroup";
  }

  bool keeps_name(const GangDraft& draft) const {
    return draft.is_group() && strings_.view(draft.key.group) == kPodGroupGroup;
  }

  void order_drafts() {
    for (const auto& draft : drafts_) {
      ordered_.push_back(draft.get());
      names_.announce(draft->key, keeps_name(*draft));
    }
    announce_jobs_without_pods();
    auto order = [this](const GangDraft* a, const GangDraft* b) {
      auto key = [this](const ObjectKey& k) {
        return std::tuple(strings_.view(k.name_space), strings_.view(k.name), strings_.view(k.kind),
                          strings_.view(k.group));
      };
      return key(a->key) < key(b->key);
    };
    std::sort(ordered_.begin(), ordered_.end(), order);
  }

  // A Job without pods keeps its claim to a name, so that no gang is renamed when the Job starts.
  void announce_jobs_without_pods() {
    ObjectSet announced;
    for (OwnerRecord& owner : records_.owners) {
      if (!owner.job) continue;
      const ObjectKey& gang = owners_.chain(owner.meta.key, owner.meta.pos).gang;
      if (by_key_.contains(gang) || !announced.insert(gang).second) continue;
      names_.announce(gang, false);
    }
  }

  Gang make_gang(const GangDraft& draft) {
    Gang gang;
    gang.name_space = draft.key.name_space;
    gang.name = names_.name(draft.key, keeps_name(draft));
    note_invalid(draft, gang);
    if (draft.is_group() && draft.group == nullptr) {
      Reason reason;
      reason.code = ReasonCode::GangNotFound;
      reason.subject = gang.name;
      gang.errors.push_back(std::move(reason));
      missing_.add_group(strings_.view(draft.key.name_space), gang.name,
                         draft.pods.front()->meta.pos, group_field(draft.key));
    }
    GangRequest request = collect(draft);
    gang.min_member = draft.group_is_first() ? draft.group->min_member : draft.of_owner.min_member;
    set_priority(draft, request, gang);
    set_moving(draft, request, gang);
    if (draft.group != nullptr) set_core_fields(*draft.group, gang);
    set_origin(draft, gang);
    set_queue(draft, request, gang);
    Chains chains = chains_of(draft);
    gang.run_time_us = expected_run_time(draft, {chains.data(), chains.size()});
    structures_.link(draft.declared(), draft.pods, group_size(draft), request.structure, gang);
    set_placement(draft, request, gang);

    std::string key(strings_.view(gang.name_space));
    key += "/";
    key += gang.name;
    StrId key_id = fields_.intern(key);
    for (PodRecord* record : draft.pods) {
      Pod& pod = record->object.pod;
      pod.gang = key_id;
      bool runs = pod.status == PodStatus::Running && pod.started == kNoTime;
      if (runs && draft.group != nullptr) pod.started = draft.group->last_start;
    }
    return gang;
  }

  // The chains of the PodGroup's owners and of the pods' owners.
  using Chains = boost::container::small_vector<const OwnerChain*, 2>;
  Chains chains_of(const GangDraft& draft) {
    Chains chains;
    if (draft.group != nullptr) {
      chains.push_back(&owners_.chain(draft.group->meta.owner, draft.group->meta.pos));
    }
    if (joints_.contains(draft.key)) {
      for (const OwnerChain* chain : joints_.chains(draft.key)) chains.push_back(chain);
    } else if (draft.chain != nullptr) {
      chains.push_back(draft.chain);
    }
    return chains;
  }

  GangRequest collect(const GangDraft& draft) {
    GangRequest request;
    // The placement of a workload's pods is the workload's request, and its queue is of another
    // kind.
    if (of_workload(draft)) return request;
    auto add = [&](const GangKeys& keys) {
      request.add(keys);
      request.structure.add(keys);
    };
    // In a gang with subgroups, the structure of templates and pods is that of their own subgroups.
    auto add_part = [&](const GangKeys& keys) {
      request.add(keys);
      if (!draft.has_subgroups()) request.structure.add(keys);
    };
    if (draft.group != nullptr) {
      add(draft.group->spec);
      add(draft.group->keys);
    }
    Chains chains = chains_of(draft);
    for (const OwnerChain* chain : chains) {
      for (size_t i = chain->objects.size(); i-- > 0;) add(chain->objects[i]->keys);
    }
    for (const OwnerChain* chain : chains) {
      for (size_t i = chain->objects.size(); i-- > 0;) add_part(chain->objects[i]->of_template);
    }
    for (const PodRecord* pod : draft.pods) add_part(pod->keys);
    return request;
  }

  static bool of_workload(const GangDraft& draft) {
    return std::any_of(draft.pods.begin(), draft.pods.end(),
                       [](const PodRecord* pod) { return pod->object.pod.workload.valid(); });
  }

  // An owner with groups may give its segments a level without a size: they are its groups.
  int64_t group_size(const GangDraft& draft) {
    for (const OwnerChain* chain : chains_of(draft)) {
      if (chain->grouping != Grouping::EachGroup) continue;
      if (chain->of_gang == nullptr || !chain->of_gang->shape) continue;
      int64_t pods = 0;
      for (const RoleShape& role : chain->of_gang->shape->roles) pods += role.pods;
      return pods;
    }
    return 0;
  }

  static void note_invalid(const GangDraft& draft, Gang& gang) {
    const ObjectError* error = error_of(draft);
    if (error != nullptr) gang.errors.push_back(invalid_object(*error));
  }

  // The error of an object that the gang depends on; null: no error.
  static const ObjectError* error_of(const GangDraft& draft) {
    // Errors in the tree of its subgroups have reasons of their own.
    bool reported = draft.group_is_first() && !draft.group->errors.empty();
    if (draft.group != nullptr && draft.group->meta.error && !reported) {
      return draft.group->meta.error.get();
    }
    const OwnerRecord* owner = draft.chain != nullptr ? draft.chain->of_gang : nullptr;
    bool shaped = draft.owner_is_first() && owner != nullptr && owner->shape;
    if (shaped && owner->meta.error) return owner->meta.error.get();
    for (const PodRecord* pod : draft.pods) {
      if (pod->meta.error) return pod->meta.error.get();
    }
    return nullptr;
  }

  void set_priority(const GangDraft& draft, const GangRequest& request, Gang& gang) {
    std::optional<int32_t> priority = priorities_.find(request.priority_class);
    if (!priority && draft.group != nullptr) priority = core_priority(*draft.group, priorities_);
    StrId unknown = priority ? StrId() : request.priority_class;
    for (const PodRecord* pod : draft.pods) {
      if (priority) break;
      priority = priorities_.of_pod(*pod);
    }
    for (const PodRecord* pod : draft.pods) {
      if (priority) break;
      priority = priorities_.find(pod->priority_class);
      if (!priority && !unknown.valid()) unknown = pod->priority_class;
    }
    if (!priority && unknown.valid()) {
      std::string_view word = strings_.view(unknown);
      SourcePos pos = draft.group != nullptr ? draft.group->meta.pos : draft.pods[0]->meta.pos;
      fields_.report().warning(Place{pos, ""},
                               {"the priority class " + in_quotes(word),
                                "the name of a PriorityClass (the default priority is taken)",
                                priorities_.nearest(word)});
    }
    if (!priority) priority = priorities_.find(class_of_kind(draft));
    gang.priority = priority.value_or(priorities_.otherwise());
    gang.preemptible = request.preemptibility == Preemptibility::Unset
                           ? gang.priority < kFirstNonPreemptible
                           : request.preemptibility != Preemptibility::NonPreemptible;
    gang.keeps_minimum = request.preemptibility == Preemptibility::SemiPreemptible;
    gang.background = request.background.value_or(false);
    gang.spares = request.spares.value_or(0);
    if (request.near.valid()) gang.near = shared("near", gang.name_space, request.near);
    gang.preemptible = gang.preemptible || gang.background;
    gang.keeps_minimum = gang.keeps_minimum && !gang.background;
    gang.movable = request.movable;
    if (draft.group == nullptr || !draft.group->core) return;
    warn_of_other_priority(draft.pods, gang.priority, priorities_, fields_.report());
  }

  // The priority class of the owner's kind; not valid: the default holds.
  StrId class_of_kind(const GangDraft& draft) {
    if (draft.chain == nullptr || !draft.owner_is_first() || priorities_.global_default())
      return {};
    const Labels& labels = draft.pods.front()->object.pod.labels;
    return fields_.intern_if(owners_.priority_class(*draft.chain, labels));
  }

  // Sets whether and when the gang moves others. A pod's own class counts where no other is found.
  void set_moving(const GangDraft& draft, const GangRequest& request, Gang& gang) {
    StrId priority_class = request.priority_class;
    for (const PodRecord* pod : draft.pods) {
      gang.moves_others = gang.moves_others && pod->moves_others;
      bool names_one = priorities_.find(pod->priority_class).has_value();
      if (!priorities_.find(priority_class) && names_one) priority_class = pod->priority_class;
    }
    if (!priorities_.find(priority_class)) priority_class = class_of_kind(draft);
    gang.moves_others = gang.moves_others && priorities_.moves_others(priority_class);
    if (draft.group == nullptr) return;
    gang.preemption_delay_us = draft.group->preemption_delay.value_or(0);
    gang.staleness_grace_us = draft.group->staleness_grace;
    gang.calls_for_nodes = draft.group->calls_for_nodes;
    gang.started = draft.group->last_start;
    gang.stale_since = draft.group->stale_since;
  }

  // Sets when the gang began to exist, and its uid.
  void set_origin(const GangDraft& draft, Gang& gang) {
    const Meta* origin = draft.group != nullptr ? &draft.group->meta : nullptr;
    const OwnerRecord* owner = draft.chain != nullptr ? draft.chain->of_gang : nullptr;
    if (draft.is_copy()) origin = nullptr;
    bool of_all = owner != nullptr && draft.chain->grouping == Grouping::Together;
    if (of_all && (owner->meta.key == draft.key || draft.is_copy())) origin = &owner->meta;
    if (origin != nullptr) {
      gang.created = origin->created;
      gang.uid = origin->uid;
      if (gang.created != kNoTime) return;
    }
    for (const PodRecord* pod : draft.pods) {
      if (gang.uid.empty() && pod->meta.key == draft.key) gang.uid = pod->object.pod.uid;
      TimeUs created = pod->meta.created;
      if (created == kNoTime) continue;
      if (gang.created == kNoTime || created < gang.created) gang.created = created;
    }
  }

  void set_queue(const GangDraft& draft, const GangRequest& request, Gang& gang) {
    if (records_.queues.empty() || !request.queue.valid()) return;
    gang.queue = request.queue;
    auto found = queues_.find(request.queue.value);
    if (found != queues_.end() && found->second) {
      if (inner_.contains(request.queue.value)) refuse_inner(draft, gang);
      return;
    }
    Reason reason;
    reason.code = ReasonCode::QueueNotFound;
    reason.subject = strings_.view(*gang.queue);
    // A queue that is left out has errors of its own.
    if (found == queues_.end()) {
      SourcePos pos = draft.group != nullptr ? draft.group->meta.pos : draft.pods[0]->meta.pos;
      missing_.add_queue(reason.subject, pos);
    }
    gang.errors.push_back(std::move(reason));
  }

  void refuse_inner(const GangDraft& draft, Gang& gang) {
    Reason reason;
    reason.code = ReasonCode::QueueNotLeaf;
    reason.subject = strings_.view(*gang.queue);
    bool of_spec = draft.group != nullptr && draft.group->spec.queue == gang.queue;
    SourcePos pos = draft.group != nullptr ? draft.group->meta.pos : draft.pods[0]->meta.pos;
    fields_.report().error(
        of_spec ? draft.group->queue : Place{pos, ""},
        {"the queue " + in_quotes(reason.subject) + ", which has queues below it",
         "a queue without queues below it", ""});
    gang.errors.push_back(std::move(reason));
  }

  void set_placement(const GangDraft& draft, const GangRequest& request, Gang& gang) {
    PlacementPreferences preferences = preferences_.parse(request.preferences, gang.errors);
    if (!preferences.any()) return;
    services_.insert(service_of(draft).value);
    for (PodRecord* pod : draft.pods) pod->object.spec.edit().placement = preferences;
  }

  // The service is the PodGroup, else the owner, else all pods with the same label `app`, else the
  // pod.
  StrId service_of(const GangDraft& draft) {
    if (!draft.owner_is_first()) return shared("PodGroup", draft.key.name_space, draft.key.name);
    if (draft.chain != nullptr && draft.chain->top.valid()) {
      const ObjectKey& top = draft.chain->top;
      return shared(strings_.view(top.kind), top.name_space, top.name);
    }
    if (draft.pods.empty()) return {};
    const Pod& pod = draft.pods.front()->object.pod;
    StrId app = find_label(pod.labels, strings_.find(kServiceLabel));
    if (app.valid()) return shared("app", pod.name_space, app);
    return shared("Pod", pod.name_space, fields_.intern(pod.name));
  }

  StrId shared(std::string_view kind, StrId name_space, StrId name) {
    std::string text(kind);
    for (StrId part : {name_space, name}) {
      text += "/";
      text += strings_.view(part);
    }
    return fields_.intern(text);
  }

  // Pods without a preference count as pods of the service for those that have one.
  void count_services() {
    if (services_.empty()) return;
    for (const GangDraft* draft : ordered_) {
      StrId service = service_of(*draft);
      if (!services_.contains(service.value)) continue;
      for (PodRecord* pod : draft->pods) pod->object.spec.edit().placement.service = service;
    }
  }

  Records& records_;
  FieldReader& fields_;
  const StringTable& strings_;
  Owners owners_;
  JointGangs joints_;
  Priorities priorities_;
  StructureLinker structures_;
  PreferenceLinker preferences_;
  GangNames names_;
  NamedGroups groups_;
  CoreTrees trees_;
  std::vector<std::unique_ptr<GangDraft>> drafts_;
  std::vector<const GangDraft*> ordered_;
  ObjectMap<size_t> by_key_;
  absl::flat_hash_map<uint32_t, bool> queues_;  // by name: whether it can be used
  absl::flat_hash_set<uint32_t> inner_;         // by name: those with queues below them
  absl::flat_hash_set<uint32_t> services_;      // with preferences
  MissingNames missing_;
};

}  // namespace

std::vector<Gang> link_gangs(Records& records, FieldReader& fields) {
  return GangLinker(records, fields).run();
}

}  // namespace trellis
