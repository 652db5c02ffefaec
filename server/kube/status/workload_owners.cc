#include "server/kube/status/workload_owners.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/manifest/workload_name.h"
#include "server/simulate/json_objects.h"
#include "session/full_key.h"

namespace trellis {
namespace {

constexpr const char* kJobGroup = "batch";
constexpr const char* kJobKind = "Job";
constexpr std::string_view kAsks = "\"kueue.x-k8s.io/queue-name\"";

std::string group_of(const std::string& api_version) {
  size_t slash = api_version.find('/');
  return slash == std::string::npos ? std::string() : api_version.substr(0, slash);
}

std::vector<WorkloadOwnership> named_owners(const std::string& text, const std::string& name_space,
                                            const std::string& workload) {
  std::vector<WorkloadOwnership> rows;
  Json object = parse_object(text);
  if (!object.is_object()) return rows;
  Json& metadata = object_at(object, "metadata");
  auto owners = metadata.find("ownerReferences");
  if (owners == metadata.end() || !owners->is_array()) return rows;
  for (const Json& owner : *owners) {
    if (!owner.is_object()) continue;
    rows.push_back({name_space, workload, group_of(text_at(owner, "apiVersion")),
                    text_at(owner, "kind"), text_at(owner, "name"), false});
  }
  return rows;
}

}  // namespace

void WorkloadOwners::read_jobs(const LiveObjects& objects) {
  std::map<std::string, Job> jobs;
  by_workload_.clear();
  for (auto& [key, text] : objects.list(kJobGroup, kJobKind)) {
    auto known = jobs_.find(key);
    Job job{.text = text, .name_space = {}, .name = {}, .workload = {}};
    if (known != jobs_.end() && known->second.text == text) {
      job = known->second;
    } else if (text->find(kAsks) != std::string::npos) {
      Json object = parse_object(*text);
      if (!object.is_object()) continue;
      const Json& metadata = object_at(object, "metadata");
      job.name_space = text_at(metadata, "namespace");
      job.name = text_at(metadata, "name");
      std::string uid = text_at(metadata, "uid");
      job.workload = workload_name({kJobGroup, kJobKind, job.name, uid});
    }
    if (!job.workload.empty()) by_workload_[full_key(job.name_space, job.workload)] = key;
    jobs.emplace(key, std::move(job));
  }
  jobs_ = std::move(jobs);
}

std::vector<WorkloadOwnership> WorkloadOwners::of(const Cluster& cluster, WorkloadId id,
                                                  const LiveObjects& objects) {
  const Workload& workload = cluster.workloads()[id];
  std::string space(cluster.vocabulary().strings.view(workload.name_space));
  if (auto object = objects.find("kueue.x-k8s.io", "Workload", space, workload.name)) {
    return named_owners(*object->text, space, workload.name);
  }
  std::string key = full_key(space, workload.name);
  if (!by_workload_.contains(key) && !std::exchange(is_fresh_, true)) read_jobs(objects);
  if (auto job = by_workload_.find(key); job != by_workload_.end()) {
    return {{space, workload.name, kJobGroup, kJobKind, jobs_.at(job->second).name, true}};
  }
  // A pod that asks for itself, or a group of them.
  std::vector<WorkloadOwnership> rows;
  for (PodId pod : cluster.workloads().pods_of(id)) {
    rows.push_back({space, workload.name, "", "Pod", cluster.pods()[pod].pod.name, true});
  }
  std::ranges::sort(rows, {}, &WorkloadOwnership::name);
  return rows;
}

}  // namespace trellis
