#include "server/serve/dry_run_comparison.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "server/document/timestamp.h"
#include "server/view/gang_summary.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

// The most log lines of one cycle; further differences are counted and not logged.
constexpr size_t kMostDifferenceLines = 20;

bool waits(const Pod& pod) { return pod.status == PodStatus::Pending && pod.node.empty(); }

}  // namespace

void DryRunComparison::take(const CycleRecord& record, const std::vector<ObjectChanges>& changes,
                            const Cluster& cluster) {
  ++cycle_;
  // The other scheduler's binds are compared with our decisions from before this cycle.
  lines_ = 0;
  for (const ObjectChanges& change : changes) {
    for (const RemovedObjects::Named& gone : change.removed.pods) {
      choices_.erase(full_key(gone.name_space, gone.name));
    }
    for (const PodObject& object : change.upserts.pods) look(object.pod, cluster, record.now);
  }
  for (const Decision& decision : record.decisions) choose(decision, record, cluster);
  for (auto& [name, choice] : choices_) {
    if (choice.node.empty() || choice.cycle == cycle_) continue;
    choice = {.uid = choice.uid, .node = "", .domain = "", .since = record.now, .cycle = cycle_};
  }
}

void DryRunComparison::look(const Pod& pod, const Cluster& cluster, TimeUs now) {
  std::string name = full_name(cluster, pod.name_space, pod.name);
  auto known = choices_.find(name);
  bool ours = pod.hold == PodHold::None;
  if (waits(pod) && ours) {
    if (known != choices_.end() && known->second.uid == pod.uid) return;
    choices_[name] = {.uid = pod.uid, .node = "", .domain = "", .since = now, .cycle = cycle_};
    return;
  }
  if (known == choices_.end()) return;
  Choice choice = std::move(known->second);
  choices_.erase(known);
  if (choice.uid == pod.uid && !pod.node.empty()) compare(name, choice, pod.node, now);
}

void DryRunComparison::compare(const std::string& pod, const Choice& ours,
                               const std::string& theirs, TimeUs now) {
  std::lock_guard lock(mutex_);
  if (ours.node == theirs) {
    ++figures_.same;
    return;
  }
  ++(ours.node.empty() ? figures_.waiting : figures_.elsewhere);
  if (++lines_ <= kMostDifferenceLines) {
    log_.event(LogLevel::Info, "decided otherwise",
               {{"pod", pod},
                {"ours", ours.node.empty() ? "none" : std::string_view(ours.node)},
                {"domain", ours.domain},
                {"theirs", theirs}});
  }
  differences_.push_front({pod, ours, theirs, now});
  if (differences_.size() > kMostKept) differences_.pop_back();
}

void DryRunComparison::choose(const Decision& decision, const CycleRecord& record,
                              const Cluster& cluster) {
  if (decision.kind == Decision::Kind::Evict) return;
  const PodSlot& slot = cluster.pods()[decision.pod];
  auto found = choices_.find(full_name(cluster, decision.pod));
  if (found == choices_.end()) return;
  Choice& choice = found->second;
  const std::string& node = cluster.nodes()[decision.node].name;
  if (choice.node != node) choice.since = record.now;
  choice.node = node;
  const std::optional<GangPlacement>& placement = record.gangs[slot.gang].placement;
  choice.domain = placement ? placement_text(placement) : "";
  choice.cycle = cycle_;
}

ComparisonCounts DryRunComparison::figures() const {
  std::lock_guard lock(mutex_);
  return figures_;
}

std::string DryRunComparison::json() const {
  std::lock_guard lock(mutex_);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Difference& one : differences_) {
    nlohmann::ordered_json item = {{"pod", one.pod}};
    if (!one.ours.node.empty()) item["ours"] = one.ours.node;
    if (!one.ours.domain.empty()) item["domain"] = one.ours.domain;
    item["since"] = format_timestamp(one.ours.since);
    item["theirs"] = one.theirs;
    item["seen"] = format_timestamp(one.seen);
    list.push_back(std::move(item));
  }
  nlohmann::ordered_json document = {{"same", figures_.same},
                                     {"elsewhere", figures_.elsewhere},
                                     {"waiting", figures_.waiting},
                                     {"differences", std::move(list)}};
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace trellis
