#include "server/writeback/started_owners.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/writeback/workload_saver.h"

namespace trellis {
namespace {

constexpr std::string_view kFile = "started.jsonl";

using Keys = absl::flat_hash_set<std::string>;

// The workloads that were admitted, as "namespace/name".
Keys admitted_keys(const Cluster& cluster, const CycleRecord& record) {
  Keys keys;
  const StringTable& strings = cluster.vocabulary().strings;
  for (const WorkloadDecision& decision : record.workload_decisions) {
    if (decision.kind != WorkloadDecision::Kind::Admit) continue;
    const Workload& workload = cluster.workloads()[decision.workload];
    keys.insert(std::string(strings.view(workload.name_space)) + "/" + workload.name);
  }
  return keys;
}

class OwnerStarter {
 public:
  OwnerStarter(Cluster& cluster, const CycleRecord& record, const OwnerStarts& starts)
      : cluster_(cluster), record_(record), starts_(starts) {}

  void run() {
    admitted_ = admitted_keys(cluster_, record_);
    if (admitted_.empty()) return;
    for (const WorkloadOwnership& owner : starts_.workloads.owners) {
      if (owner.kind != "Job") continue;
      if (!admitted_.contains(owner.name_space + "/" + owner.workload)) continue;
      starting_.insert(owner.name_space + "/" + owner.name);
    }
    if (starting_.empty()) return;
    Manifest manifest = read_manifest_text(
        kFile, text(), cluster_.vocabulary(),
        {.keep_raw = true,
         .zones_elsewhere = some_node_has_zones(),
         .settings = {ReadingSettings{.scheduler_names = {starts_.scheduler_names.begin(),
                                                          starts_.scheduler_names.end()}}}});
    add(std::move(manifest));
  }

 private:
  bool some_node_has_zones() const {
    return std::any_of(cluster_.nodes().begin(), cluster_.nodes().end(),
                       [](const Node& node) { return static_cast<bool>(node.numa); });
  }

  // Pods of others may have names that a Job's pods would have.
  bool has_name_to_make(const RawObject& pod) const {
    for (size_t end = pod.name.find('-'); end != std::string::npos;
         end = pod.name.find('-', end + 1)) {
      if (starting_.contains(pod.name_space + "/" + pod.name.substr(0, end))) return true;
    }
    return false;
  }

  // The gang of a pod may have a name that a Job's gang would have: NAME, or KIND.NAME.
  bool has_gang_of_name(const Pod& pod) const {
    if (!pod.gang.valid()) return false;
    const StringTable& strings = cluster_.vocabulary().strings;
    std::string_view name_space = strings.view(pod.name_space);
    std::string_view name = strings.view(pod.gang).substr(name_space.size() + 1);
    for (size_t begin = 0;;) {
      std::string key(name_space);
      key += "/";
      key += name.substr(begin);
      if (starting_.contains(key)) return true;
      size_t dot = name.find('.', begin);
      if (dot == std::string_view::npos) return false;
      begin = dot + 1;
    }
  }

  bool is_wanted(const RawObject& raw) const {
    if (raw.kind == "Node" || raw.kind == "Workload") return false;
    if (raw.kind == "Job") return starting_.contains(raw.name_space + "/" + raw.name);
    if (raw.kind != "Pod" || has_name_to_make(raw)) return true;
    PodId id = cluster_.find_pod(raw.name_space, raw.name);
    if (!id.valid()) return false;
    const Pod& pod = cluster_.pods()[id].pod;
    if (has_gang_of_name(pod)) return true;
    return pod.workload.valid() &&
           admitted_.contains(std::string(cluster_.vocabulary().strings.view(pod.workload)));
  }

  // The text that a reader needs to make the pods as it would after a save.
  std::string text() const {
    std::vector<RawObject> wanted;
    for (const RawObject& raw : starts_.objects) {
      if (is_wanted(raw)) wanted.push_back(raw);
    }
    for (const RawObject& raw : starts_.objects) {
      if (raw.kind == "Workload" && admitted_.contains(raw.name_space + "/" + raw.name)) {
        wanted.push_back(raw);
      }
    }
    StringSink sink;
    save_objects(sink, wanted, cluster_, {}, record_.now, starts_.workloads);
    return sink.text();
  }

  void add(Manifest manifest) {
    absl::flat_hash_set<uint32_t> gangs;
    std::vector<PodObject> pods;
    for (PodObject& object : manifest.objects.pods) {
      if (cluster_.find_pod(name_space(object.pod), object.pod.name).valid()) continue;
      gangs.insert(object.pod.gang.value);
      pods.push_back(std::move(object));
    }
    StringTable& strings = cluster_.vocabulary().strings;
    for (Gang& gang : manifest.objects.gangs) {
      std::string key(strings.view(gang.name_space));
      key += "/" + gang.name;
      if (gangs.contains(strings.intern(key).value)) cluster_.upsert(std::move(gang));
    }
    for (RawObject& raw : manifest.raw) {
      if (raw.kind != "Pod" || cluster_.find_pod(raw.name_space, raw.name).valid()) continue;
      starts_.objects.push_back(std::move(raw));
    }
    for (PodObject& object : pods) cluster_.upsert(std::move(object.pod), *object.spec);
  }

  std::string_view name_space(const Pod& pod) const {
    return cluster_.vocabulary().strings.view(pod.name_space);
  }

  Cluster& cluster_;
  const CycleRecord& record_;
  const OwnerStarts& starts_;
  Keys admitted_;
  Keys starting_;
};

}  // namespace

void start_owners(Cluster& cluster, const CycleRecord& record, const OwnerStarts& starts) {
  OwnerStarter(cluster, record, starts).run();
}

}  // namespace trellis
