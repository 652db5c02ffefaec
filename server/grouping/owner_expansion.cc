#include "server/grouping/owner_expansion.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/ascii.h"
#include "server/grouping/cron_schedule.h"
#include "server/objects/owner_kinds.h"

namespace trellis {
namespace {

constexpr int kLongestWalk = 8;  // owners above a pod

// The pods of one role that are there.
struct ExistingRole {
  int64_t unfinished = 0;
  int64_t all = 0;
  std::set<int64_t> indexes;
};

class OwnerExpander {
 public:
  OwnerExpander(Records& records, PodFactory& pods, FieldReader& fields)
      : records_(records), pods_(pods), fields_(fields), strings_(fields.vocabulary().strings) {}

  void run() {
    add_made_owners();
    choose_makers();
    if (makers_.empty()) return;
    find_existing();
    for (size_t i = 0; i < makers_.size(); ++i) expand(i);
  }

 private:
  std::string_view view(StrId id) const { return strings_.view(id); }

  void add_made_owners() {
    ObjectSet keys;
    std::set<std::pair<ObjectKey, StrId>> kinds_below;  // an owner, and the kind of one below it
    bool any = std::ranges::any_of(records_.owners,
                                   [](const OwnerRecord& owner) { return !owner.made.empty(); });
    if (!any) return;
    find_runs();
    for (const OwnerRecord& owner : records_.owners) {
      keys.insert(owner.meta.key);
      if (owner.meta.owner.valid()) kinds_below.emplace(owner.meta.owner, owner.meta.key.kind);
    }
    auto kind_of = [](const auto& made) { return made->meta.key.kind; };
    std::vector<OwnerRecord> added;
    for (const OwnerRecord& owner : records_.owners) {
      for (const auto& made : owner.made) {
        // The one owner of a kind may have a name that only its controller knows.
        bool alone = std::ranges::count(owner.made, made->meta.key.kind, kind_of) == 1;
        if (alone && kinds_below.contains({owner.meta.key, made->meta.key.kind})) continue;
        if (keys.contains(made->meta.key)) continue;
        OwnerRecord copy = *made;
        copy.meta.pos = owner.meta.pos;
        copy.meta.error = owner.meta.error;
        if (owner.schedule.valid() && !name_run(owner, copy)) continue;
        if (keys.contains(copy.meta.key)) continue;
        added.push_back(std::move(copy));
      }
    }
    for (OwnerRecord& owner : added) records_.owners.push_back(std::move(owner));
  }

  // The minute in a run's name: what the last dash is followed by. Null: the name has none.
  static std::optional<int64_t> minute_of(std::string_view name) {
    std::string_view digits = name.substr(name.rfind('-') + 1);
    int64_t minute = 0;
    auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), minute);
    bool whole = fault == std::errc() && end == digits.data() + digits.size();
    return whole && minute >= 0 && digits.size() < name.size() ? std::optional(minute)
                                                               : std::nullopt;
  }

  // Runs of CronJobs whose pods are there, though their Jobs are not.
  void find_runs() {
    bool any = std::ranges::any_of(records_.owners,
                                   [](const OwnerRecord& owner) { return owner.schedule.valid(); });
    if (!any) return;
    ObjectKey last;
    for (const PodRecord& record : records_.pods) {
      const ObjectKey& owner = record.meta.owner;
      if (!owner.valid() || owner == last) continue;
      last = owner;
      std::string_view name = view(owner.name);
      std::optional<int64_t> minute = minute_of(name);
      if (!minute) continue;
      ObjectKey run = owner;
      run.name = strings_.find(name.substr(0, name.rfind('-')));
      if (!run.name.valid()) continue;
      int64_t& newest = runs_.try_emplace(run, *minute).first->second;
      newest = std::max(newest, *minute);
    }
  }

  // A run is named for the minute in which it starts. False: it never starts.
  bool name_run(const OwnerRecord& cron_job, OwnerRecord& run) {
    constexpr int64_t kOneMinuteUs = 60'000'000;
    ObjectKey key = run.meta.key;
    key.name = cron_job.meta.key.name;
    int64_t minute = 0;
    if (auto known = runs_.find(key); known != runs_.end()) {
      minute = known->second;
    } else {
      TimeUs now = fields_.newest() == kNoTime ? 0 : fields_.newest();
      std::optional<TimeUs> start = next_run(view(cron_job.schedule), now);
      if (!start) return false;
      minute = *start / kOneMinuteUs;
    }
    run.meta.key.name =
        fields_.intern(std::string(view(cron_job.meta.key.name)) + "-" + std::to_string(minute));
    return true;
  }

  void choose_makers() {
    ObjectSet makers;
    for (const OwnerRecord& owner : records_.owners) {
      if (owner.pods) makers.insert(owner.meta.key);
    }
    for (const OwnerRecord& owner : records_.owners) {
      if (owner.pods && !makers.contains(owner.meta.owner)) makers_.push_back(&owner);
      if (owner.meta.owner.valid()) above_.emplace(owner.meta.key, owner.meta.owner);
    }
    // In order of name: which owner meets the limit does not depend on the order of the input.
    std::ranges::sort(makers_, [this](const OwnerRecord* a, const OwnerRecord* b) {
      return order(a->meta.key) < order(b->meta.key);
    });
    for (size_t i = 0; i < makers_.size(); ++i) {
      const OwnerRecord& owner = *makers_[i];
      positions_.emplace(owner.meta.key, i);
      StrId label = owner.pods->owner_label;
      if (!label.valid()) continue;
      labelled_[{label, owner.meta.key.name_space, owner.meta.key.name}] = i;
      owner_labels_.insert(label);
    }
    existing_.resize(makers_.size());
  }

  std::tuple<std::string_view, std::string_view, std::string_view, std::string_view> order(
      const ObjectKey& key) const {
    return {view(key.name_space), view(key.name), view(key.kind), view(key.group)};
  }

  void find_existing() {
    deployments_ = {.group = strings_.find("apps"), .kind = strings_.find("Deployment")};
    hash_label_ = strings_.find(kTemplateHash);
    for (const PodRecord& record : records_.pods) {
      if (const size_t* maker = maker_of(record)) count(record, *makers_[*maker], *maker);
    }
  }

  // null: no owner that makes pods.
  const size_t* maker_of(const PodRecord& record) const {
    const Pod& pod = record.object.pod;
    const size_t* found = nullptr;
    ObjectKey owner = record.meta.owner;
    for (int i = 0; i < kLongestWalk && owner.valid(); ++i) {
      if (auto at = positions_.find(owner); at != positions_.end()) found = &at->second;
      auto above = above_.find(owner);
      if (above == above_.end()) break;
      owner = above->second;
    }
    for (StrId label : owner_labels_) {
      StrId name = found == nullptr ? find_label(pod.labels, label) : StrId();
      if (!name.valid()) continue;
      auto at = labelled_.find({label, pod.name_space, name});
      if (at != labelled_.end()) found = &at->second;
    }
    return found != nullptr ? found : deployment_of(record);
  }

  // By the name of a ReplicaSet, which may be missing from the input: the Deployment's and a hash.
  const size_t* deployment_of(const PodRecord& record) const {
    StrId hash = find_label(record.object.pod.labels, hash_label_);
    if (!hash.valid() || !record.meta.owner.valid()) return nullptr;
    std::string_view name = deployment_name(view(record.meta.owner.name), view(hash));
    if (name.empty()) return nullptr;
    ObjectKey key = deployments_;
    key.name_space = record.meta.key.name_space;
    key.name = strings_.find(name);
    if (!key.name.valid() || !key.group.valid() || !key.kind.valid()) return nullptr;
    auto at = positions_.find(key);
    return at == positions_.end() ? nullptr : &at->second;
  }

  void count(const PodRecord& record, const OwnerRecord& owner, size_t maker) {
    const Pod& pod = record.object.pod;
    StrId role;
    for (StrId label : owner.pods->role_labels) {
      if (!role.valid() && label.valid()) role = find_label(pod.labels, label);
    }
    // Roles of training jobs are compared in lower case.
    if (role.valid()) role = fields_.intern(lower(view(role)));
    ExistingRole& existing = existing_[maker][role];
    ++existing.all;
    existing.unfinished += has_finished(pod.status) ? 0 : 1;
    for (const MadePods& made : owner.pods->roles) {
      if (made.index_labels.empty()) continue;
      StrId index = find_label(pod.labels, made.index_labels[0]);
      std::string_view text = index.valid() ? view(index) : std::string_view();
      int64_t number = 0;
      auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (!text.empty() && fault == std::errc()) existing.indexes.insert(number);
      break;
    }
  }

  void expand(size_t maker) {
    const OwnerRecord& owner = *makers_[maker];
    std::vector<int64_t> missing;
    int64_t sum = 0;
    for (const MadePods& made : owner.pods->roles) {
      missing.push_back(missing_of(made, existing_[maker]));
      sum += missing.back();
    }
    if (sum == 0 || !pods_.reserve(sum, owner.pods->at, view(owner.meta.key.kind))) return;
    for (size_t i = 0; i < missing.size(); ++i) {
      const MadePods& made = owner.pods->roles[i];
      make(owner, made, missing[i], existing_[maker][role_of(made)].indexes);
    }
  }

  StrId role_of(const MadePods& made) {
    return made.role.valid() ? fields_.intern(lower(view(made.role))) : StrId();
  }

  // Pods with a number stay when they have finished; others are replaced.
  int64_t missing_of(const MadePods& made, std::map<StrId, ExistingRole>& roles) {
    const ExistingRole& existing = roles[role_of(made)];
    if (made.index_labels.empty()) return std::max<int64_t>(0, made.pods - existing.unfinished);
    int64_t end = made.first_index + made.pods;
    auto begin = existing.indexes.lower_bound(made.first_index);
    int64_t known = std::distance(begin, existing.indexes.lower_bound(end));
    bool numbered = !existing.indexes.empty();
    return std::max<int64_t>(0, made.pods - (numbered ? known : existing.all));
  }

  void make(const OwnerRecord& owner, const MadePods& made, int64_t missing,
            const std::set<int64_t>& taken) {
    int64_t left = missing;
    bool counted = made.index_labels.empty();
    // A pod that exists may have the name of one that is missing.
    for (int64_t i = 0; left > 0 && (counted || i < made.pods); ++i) {
      if (!counted && taken.contains(made.first_index + i)) continue;
      PodRecord record = pods_.begin(owner, *made.of);
      std::string name = made.name;
      if (made.numbered) name += std::to_string(made.first_name + i);
      if (!pods_.take_name(record, name)) {
        if (!made.numbered) return;
        continue;
      }
      --left;
      set_labels(made, i, record.object.pod);
      pods_.add(owner, view(owner.pods->api_version), *made.of, std::move(record));
    }
  }

  void set_labels(const MadePods& made, int64_t number, Pod& pod) {
    for (Label label : made.labels) set_label(pod.labels, label);
    int64_t index = made.first_index + number;
    for (StrId key : made.index_labels) {
      set_label(pod.labels, {key, fields_.intern(std::to_string(index))});
    }
    if (made.name_label.valid()) {
      set_label(pod.labels, {made.name_label, fields_.intern(pod.name)});
    }
    pod.leader = pod.leader || made.leads;
    if (made.index_base < 0) return;
    int64_t place = made.index_base + index;
    if (place <= INT32_MAX) pod.completion_index = static_cast<int32_t>(place);
  }

  Records& records_;
  PodFactory& pods_;
  FieldReader& fields_;
  const StringTable& strings_;
  std::vector<const OwnerRecord*> makers_;
  // The newest minute, by a CronJob's name with the kind of its runs.
  ObjectMap<int64_t> runs_;
  ObjectMap<size_t> positions_;                                 // of makers
  ObjectMap<ObjectKey> above_;                                  // the owner of each owner
  std::map<std::tuple<StrId, StrId, StrId>, size_t> labelled_;  // by label, namespace and value
  std::set<StrId> owner_labels_;
  std::vector<std::map<StrId, ExistingRole>> existing_;  // of each maker, by role
  ObjectKey deployments_;
  StrId hash_label_;
};

}  // namespace

void expand_owners(Records& records, PodFactory& pods, FieldReader& fields) {
  OwnerExpander(records, pods, fields).run();
}

}  // namespace trellis
