#include "server/grouping/owner_gangs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "framework/ascii.h"

namespace trellis {
namespace {

int32_t at_least_one(int64_t pods) {
  return static_cast<int32_t>(std::clamp<int64_t>(pods, 1, INT32_MAX));
}

bool asks_segments(const GangKeys& keys) {
  return keys.structure &&
         (keys.structure->has_segment() || keys.structure->segment_layers.valid());
}

bool asks_segments(const OwnerChain& chain, std::span<PodRecord* const> pods) {
  return std::any_of(chain.objects.begin(), chain.objects.end(),
                     [](const OwnerRecord* owner) {
                       return asks_segments(owner->keys) || asks_segments(owner->of_template);
                     }) ||
         std::any_of(pods.begin(), pods.end(),
                     [](const PodRecord* pod) { return asks_segments(pod->keys); });
}

// Where the owner specifies how many pods it needs in all, early roles get theirs first.
void share_out(int64_t pods, std::span<int64_t*> least) {
  for (int64_t* role : least) {
    *role = std::min(*role, pods);
    pods -= *role;
  }
}

}  // namespace

OwnerGangs::OwnerGangs(const Records& records, Owners& owners, const StringTable& strings)
    : owners_(owners), strings_(strings) {
  for (const OwnerRecord& owner : records.owners) {
    if (!owner.job || !owner.meta.owner.valid()) continue;
    const OwnerChain& chain = owners_.chain(owner.meta.owner, owner.meta.pos);
    bool roles = chain.of_gang != nullptr && chain.of_gang->shape;
    if (roles) jobs_[chain.gang].push_back(&owner);
  }
}

const OwnerKind* OwnerGangs::kind_of(const ObjectKey& key) const {
  if (!key.valid()) return nullptr;
  return find_owner_kind(strings_.view(key.group), strings_.view(key.kind));
}

OwnerGang OwnerGangs::make(const OwnerChain& chain, std::span<PodRecord* const> pods) {
  OwnerGang gang;
  bool shaped = chain.of_gang != nullptr && chain.of_gang->shape;
  if (!shaped || chain.grouping == Grouping::EachPod) {
    gang.min_member = least_of_jobs(chain, pods);
    return gang;
  }
  const OwnerShape& shape = *chain.of_gang->shape;
  std::vector<int32_t> role_of;
  std::vector<Role> roles = count_roles(chain, pods, role_of);
  if (shape.min_available) {
    std::vector<int64_t*> least;
    for (Role& role : roles) least.push_back(&role.least);
    share_out(*shape.min_available, least);
  }
  int64_t sum = 0;
  for (const Role& role : roles) sum += role.least;
  gang.min_member = at_least_one(shape.min_available.value_or(sum));
  bool only_leaders = std::all_of(pods.begin(), pods.end(),
                                  [](const PodRecord* pod) { return pod->object.pod.leader; });
  if (shape.leader_first && only_leaders) {
    gang.min_member = 1;
    return gang;
  }
  auto used = [](const Role& role) { return role.least > 0 || role.live > 0; };
  bool all_have_subgroups = true;
  for (size_t i = 0; i < pods.size(); ++i) {
    bool has_subgroup =
        role_of[i] >= 0 && roles[static_cast<size_t>(role_of[i])].shape->subgroup.valid();
    all_have_subgroups =
        all_have_subgroups && (has_subgroup || has_finished(pods[i]->object.pod.status));
  }
  if (!all_have_subgroups || std::count_if(roles.begin(), roles.end(), used) < 2) return gang;
  if (kind_of(chain.gang)->mixed_segments && asks_segments(chain, pods)) return gang;
  gang.roles = std::make_unique<PodGroupRecord>();
  for (const Role& role : roles) {
    if (!used(role)) continue;
    SubgroupRecord record;
    record.subgroup.name = role.shape->subgroup;
    record.subgroup.min_member = static_cast<int32_t>(std::min<int64_t>(role.least, INT32_MAX));
    gang.roles->subgroups.push_back(std::move(record));
  }
  for (size_t i = 0; i < pods.size(); ++i) {
    bool known = role_of[i] >= 0 && used(roles[static_cast<size_t>(role_of[i])]);
    pods[i]->object.pod.subgroup =
        known ? roles[static_cast<size_t>(role_of[i])].shape->subgroup : StrId();
  }
  return gang;
}

// Jobs below one owner may come one after the other, as the runs of a CronJob do.
int32_t OwnerGangs::least_of_jobs(const OwnerChain& chain, std::span<PodRecord* const> pods) {
  if (chain.grouping == Grouping::EachPod) return 1;
  std::vector<const OwnerRecord*> jobs;
  for (const PodRecord* pod : pods) {
    const OwnerChain& own = owners_.chain(pod->meta.owner, pod->meta.pos);
    if (own.objects.empty() || !own.objects[0]->job) continue;
    const OwnerRecord* job = own.objects[0];
    if (jobs.empty() || jobs.back() != job) jobs.push_back(job);
  }
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  int64_t most = 1;
  int64_t sum = 0;
  for (const OwnerRecord* job : jobs) {
    sum += std::max<int64_t>(1, job->job_wanted);
    most = std::max(most, job->job_wanted);
  }
  const OwnerKind* kind = kind_of(chain.gang);
  bool together = kind != nullptr && kind->least == LeastPods::OfRoles;
  return at_least_one(together ? sum : most);
}

std::vector<OwnerGangs::Role> OwnerGangs::count_roles(const OwnerChain& chain,
                                                      std::span<PodRecord* const> pods,
                                                      std::vector<int32_t>& role_of) {
  const OwnerKind& kind = *kind_of(chain.gang);
  const std::vector<RoleShape>& shapes = chain.of_gang->shape->roles;
  std::vector<Role> roles;
  for (const RoleShape& shape : shapes) roles.push_back({.shape = &shape, .least = shape.least});
  for (const PodRecord* record : pods) {
    const Pod& pod = record->object.pod;
    role_of.push_back(find_role(kind, shapes, pod.labels, pod.leader));
    if (role_of.back() < 0) continue;
    Role& role = roles[static_cast<size_t>(role_of.back())];
    ++role.there;
    role.live += has_finished(pod.status) ? 0 : 1;
  }
  for (Role& role : roles) {
    if (role.shape->late && role.there == 0) role.least = 0;
  }
  take_done(chain, roles);
  return roles;
}

// Pods that Jobs have completed already are not needed again.
void OwnerGangs::take_done(const OwnerChain& chain, std::vector<Role>& roles) const {
  auto jobs = jobs_.find(chain.gang);
  if (jobs == jobs_.end()) return;
  const OwnerKind& kind = *kind_of(chain.gang);
  const std::vector<RoleShape>& shapes = chain.of_gang->shape->roles;
  for (const OwnerRecord* job : jobs->second) {
    int32_t at = find_role(kind, shapes, job->job->pod.object.pod.labels, false);
    if (at < 0) continue;
    Role& role = roles[static_cast<size_t>(at)];
    if (role.shape->parts == 0) continue;
    int64_t share = role.shape->pods / role.shape->parts;
    role.least = std::max<int64_t>(0, role.least - (share - std::min(share, job->job_wanted)));
  }
}

int32_t OwnerGangs::find_role(const OwnerKind& kind, const std::vector<RoleShape>& roles,
                              const Labels& labels, bool leader) const {
  if (kind.role_labels[0].empty()) {
    if (roles.empty()) return -1;
    return leader ? 0 : static_cast<int32_t>(roles.size()) - 1;
  }
  for (std::string_view key : kind.role_labels) {
    StrId value = key.empty() ? StrId() : find_label(labels, strings_.find(key));
    if (!value.valid()) continue;
    std::string word = lower(strings_.view(value));
    for (size_t i = 0; i < roles.size(); ++i) {
      if (roles[i].label == word) return static_cast<int32_t>(i);
    }
  }
  return -1;
}

}  // namespace trellis
