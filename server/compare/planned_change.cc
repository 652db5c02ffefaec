#include "server/compare/planned_change.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "server/compare/place_search.h"
#include "server/view/name_search.h"

namespace trellis {
namespace {

// Removes gangs and workloads, with their pods.
class GoneObjects {
 public:
  GoneObjects(Objects& objects, const StringTable& strings)
      : objects_(objects), strings_(strings) {}

  // `word`: gang/NAMESPACE/NAME or workload/NAMESPACE/NAME.
  std::string remove(const std::string& word) {
    size_t slash = word.find('/');
    std::string key = word.substr(slash + 1);
    return word.substr(0, slash) == "gang" ? remove_gang(key) : remove_workload(key);
  }

 private:
  template <class Record>
  std::string name_of(const Record& record) const {
    return std::string(strings_.view(record.name_space)) + "/" + record.name;
  }

  // Completes `key`.
  template <class Record>
  std::string erase(std::string_view kind, std::string& key, std::vector<Record>& records) {
    std::vector<std::string> names;
    for (const Record& record : records) names.push_back(name_of(record));
    std::sort(names.begin(), names.end());
    FoundName found = find_name(kind, key, names);
    if (!found.error.empty()) return std::move(found.error);
    key = std::move(found.name);
    std::erase_if(records, [&](const Record& record) { return name_of(record) == key; });
    return "";
  }

  // A workload whose pods are all removed with the gang is removed, too: it has nothing left to
  // run.
  std::string remove_gang(std::string key) {
    if (std::string error = erase("gang", key, objects_.gangs); !error.empty()) return error;
    std::set<std::string> emptied =
        names_in(&Pod::workload, [&](const Pod& pod) { return strings_.view(pod.gang) == key; });
    std::erase_if(objects_.pods,
                  [&](const PodObject& object) { return strings_.view(object.pod.gang) == key; });
    for (const std::string& name : names_in(&Pod::workload)) emptied.erase(name);
    std::erase_if(objects_.workloads,
                  [&](const Workload& record) { return emptied.contains(name_of(record)); });
    return "";
  }

  std::string remove_workload(std::string key) {
    if (std::string error = erase("workload", key, objects_.workloads); !error.empty())
      return error;
    auto is_of = [&](const Pod& pod) {
      return pod.workload.valid() && strings_.view(pod.workload) == key;
    };
    std::set<std::string> emptied = names_in(&Pod::gang, is_of);
    std::erase_if(objects_.pods, [&](const PodObject& object) { return is_of(object.pod); });
    for (const std::string& name : names_in(&Pod::gang)) emptied.erase(name);
    std::erase_if(objects_.gangs,
                  [&](const Gang& record) { return emptied.contains(name_of(record)); });
    return "";
  }

  // The names in a field of pods.
  std::set<std::string> names_in(
      StrId Pod::*field,
      const std::function<bool(const Pod&)>& of = [](const Pod&) { return true; }) const {
    std::set<std::string> names;
    for (const PodObject& object : objects_.pods) {
      StrId name = object.pod.*field;
      if (name.valid() && of(object.pod)) names.emplace(strings_.view(name));
    }
    return names;
  }

  Objects& objects_;
  const StringTable& strings_;
};

bool is_daemon(const Pod& pod) {
  return pod.daemon_set.valid() && pod.daemon_set != StringTable::kEmpty;
}

void close(Objects& objects, const std::set<std::string>& names) {
  for (Node& node : objects.nodes) {
    if (names.contains(node.name)) node.unschedulable = true;
  }
}

// The pod waits as its controller would make it again.
void put_back(PodObject& object) {
  Pod& pod = object.pod;
  pod.status = PodStatus::Pending;
  pod.node.clear();
  pod.promised.clear();
  pod.gpu_groups.clear();
  pod.started = kNoTime;
  pod.leaving_since = kNoTime;
  if (object.spec->replacement) become_replacement(object.spec.edit());
}

// The slots that workloads have on these nodes move, too, as for nodes that Kueue calls unhealthy.
void drain(Objects& objects, const std::set<std::string>& names) {
  close(objects, names);
  for (PodObject& object : objects.pods) {
    const Pod& pod = object.pod;
    bool there = names.contains(std::string(pod.node.view()));
    if (there && !is_daemon(pod) && !has_finished(pod.status)) put_back(object);
  }
  for (Workload& workload : objects.workloads) {
    if (!workload.admission) continue;
    for (const std::string& name : names) {
      if (std::ranges::count(workload.unhealthy_nodes, name) == 0) {
        workload.unhealthy_nodes.push_back(name);
      }
    }
  }
}

}  // namespace

std::string apply(const PlannedChange& change, Objects& objects, StringTable& strings) {
  GoneObjects gone(objects, strings);
  for (const std::string& word : change.removed) {
    if (std::string error = gone.remove(word); !error.empty()) return error;
  }
  std::string error;
  if (change.added) error = add_nodes(*change.added, objects, strings);
  for (const std::string& word : change.cordoned) {
    if (!error.empty()) return error;
    close(objects, find_place(objects, strings, word, error));
  }
  for (const std::string& word : change.drained) {
    if (!error.empty()) return error;
    drain(objects, find_place(objects, strings, word, error));
  }
  return error;
}

}  // namespace trellis
