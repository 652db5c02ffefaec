#include "server/kube/status/waiting_reasons.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/kube/status/digest.h"
#include "server/kube/status/node_requests.h"
#include "server/wording/node_request_text.h"
#include "server/wording/reason_text.h"
#include "session/cluster/pod_hold.h"

namespace trellis {
namespace {

uint64_t digest_of(const Reason& reason, bool calls_for_nodes, const NodeRequest* request) {
  Digest digest;
  digest.add(calls_for_nodes);
  if (request != nullptr) {
    digest.add(request->state);
    for (const std::string* word : {&request->name, &request->reason, &request->message}) {
      digest.add(*word);
    }
  }
  digest.add(reason.code);
  digest.add(reason.plugin);
  for (int64_t figure : {reason.needed, reason.found, reason.nodes, reason.bound.asked,
                         reason.bound.held, reason.bound.allowed}) {
    digest.add(figure);
  }
  digest.add(reason.bound.resource);
  for (const std::string* word :
       {&reason.topology, &reason.level, &reason.subgroup, &reason.subject, &reason.flavor}) {
    digest.add(*word);
  }
  digest.add(reason.verdicts.size());
  for (const VerdictCount& verdict : reason.verdicts) {
    digest.add(verdict.code);
    digest.add(verdict.resource);
    digest.add(verdict.plugin);
    digest.add(verdict.nodes);
    digest.add(verdict.example);
  }
  digest.add(reason.domain.size());
  for (const std::string& value : reason.domain) digest.add(value);
  for (const QuotaShortage& shortage : reason.quota) {
    digest.add(shortage.flavor);
    digest.add(shortage.resource);
    digest.add(shortage.asked);
    digest.add(shortage.available);
  }
  return digest.value();
}

uint64_t name_digest(const Gang& gang) {
  Digest digest;
  digest.add(gang.name_space);
  digest.add(gang.name);
  return digest.value();
}

}  // namespace

const GangReasons::Explanation& GangReasons::of(GangId gang) const {
  static const Explanation nothing;
  auto known = gangs_.find(gang.value);
  return known == gangs_.end() ? nothing : known->second.explanation;
}

void GangReasons::look_at(const Cluster& cluster, const CycleRecord& record, GangId id,
                          TimeUs now) {
  auto at = gangs_.find(id.value);
  bool waited = at != gangs_.end();
  if (waited) held_.erase({at->second.reported_at + kStandsUs, id});
  const std::vector<Reason>& reasons = record.gangs[id].reasons;
  if (!cluster.alive(id) || reasons.empty()) {
    if (!waited) return;
    gangs_.erase(at);
    changed_.push_back(id);
    return;
  }
  const Gang& gang = cluster.gangs()[id];
  const Reason& reason = reasons.front();
  Known& known = gangs_[id.value];
  const NodeRequest* request = cluster.node_request_of(id);
  bool together = request != nullptr ||
                  (by_ == CallForNodes::ByRequest && may_have_node_request(cluster, record, id));
  bool calls_for_nodes = gang.calls_for_nodes && more_nodes_help(reason.code) && !together;
  uint64_t name = name_digest(gang);
  uint64_t digest = digest_of(reason, calls_for_nodes, request);
  bool same_gang = waited && known.gang == name;
  if (same_gang && known.reason == digest) return;
  bool same_kind = same_gang && known.explanation.code == reason.code;
  if (same_kind && now < known.reported_at + kStandsUs) {
    held_.emplace(known.reported_at + kStandsUs, id);
    return;
  }
  TimeUs since = same_kind ? known.explanation.since : now;
  Explanation explanation{.version = ++versions_,
                          .code = reason.code,
                          .calls_for_nodes = calls_for_nodes,
                          .text = reason_text(cluster, reason),
                          .since = since};
  if (request != nullptr) explanation.text += "; " + node_request_text(*request);
  known = {name, digest, now, std::move(explanation)};
  changed_.push_back(id);
}

void GangReasons::look(const Cluster& cluster, const CycleRecord& record,
                       std::span<const GangId> touched, TimeUs now) {
  size_ = record.gangs.size();
  changed_.clear();
  std::vector<GangId> due;
  for (const auto& [at, gang] : held_) {
    if (at > now) break;
    due.push_back(gang);
  }
  std::sort(due.begin(), due.end());
  std::vector<GangId> gangs;
  std::set_union(touched.begin(), touched.end(), due.begin(), due.end(), std::back_inserter(gangs));
  for (GangId gang : gangs) look_at(cluster, record, gang, now);
}

namespace {

// None: its gang's reason counts.
ReasonCode own_reason(PodHold hold) {
  return hold == PodHold::Workload ? ReasonCode::None : hold_reason(hold);
}

}  // namespace

PodReason pod_reason(const GangReasons& reasons, const PodSlot& slot) {
  PodHold hold = slot.pod.hold;
  // The API server reports gates, and other schedulers their pods.
  if (hold == PodHold::SchedulingGates || hold == PodHold::OtherScheduler) return {};
  ReasonCode own = own_reason(hold);
  if (own != ReasonCode::None) return {.version = ~static_cast<uint64_t>(own), .code = own};
  if (!reasons.knows(slot.gang)) return {};
  const GangReasons::Explanation& explanation = reasons.of(slot.gang);
  // Other pods of its gang may wait for nodes, but more nodes do not help a pod that is held.
  if (hold == PodHold::Workload && more_nodes_help(explanation.code)) return {};
  return {.version = explanation.version,
          .code = explanation.code,
          .calls_for_nodes = explanation.calls_for_nodes};
}

std::string pod_reason_text(const Cluster& cluster, const GangReasons& reasons,
                            const PodSlot& slot) {
  ReasonCode own = own_reason(slot.pod.hold);
  return own == ReasonCode::None ? reasons.of(slot.gang).text
                                 : reason_text(cluster, Reason{.code = own});
}

}  // namespace trellis
