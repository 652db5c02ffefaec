#include "server/compare/planned_change.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "server/compare/place_search.h"
#include "server/view/name_search.h"
#include "server/view/owner_search.h"

namespace trellis {
namespace {

// Removes gangs and workloads, with their pods, and what owners made.
class GoneObjects {
 public:
  GoneObjects(Objects& objects, const StringTable& strings)
      : objects_(objects), strings_(strings) {}

  // `word`: as in PlannedChange.
  std::string remove(const std::string& word) {
    size_t slash = word.find('/');
    std::string kind = word.substr(0, slash);
    std::string key = word.substr(slash + 1);
    if (kind == "gang") return remove_gang(std::move(key));
    if (kind == "workload") return remove_workload(std::move(key));
    slash = key.find('/');
    OwnerName owner{.kind = std::move(kind), .name = key.substr(slash + 1)};
    if (slash != std::string::npos) owner.name_space = key.substr(0, slash);
    return remove_owner(owner, key);
  }

 private:
  using Made = MadeObjects::Kind;

  // `key`: as the user wrote it.
  std::string remove_owner(const OwnerName& owner, const std::string& key) {
    const std::vector<std::string> gangs = names_of(objects_.gangs);
    const std::vector<std::string> workloads = names_of(objects_.workloads);
    std::vector<const Pod*> pods;
    for (const PodObject& object : objects_.pods) pods.push_back(&object.pod);
    MadeObjects made = made_by(owner, {gangs, workloads, pods, strings_});
    if (made.names.empty()) return no_such(owner.kind, key, gangs);
    if (std::string error = shared(owner, made, pods); !error.empty()) return error;
    std::set<std::string> spaces;
    for (const std::string& name : made.names) spaces.insert(name.substr(0, name.find('/')));
    if (spaces.size() > 1) {
      return "several namespaces have a " + owner.kind + " " + key + ": " + *spaces.begin() +
             " and " + *spaces.rbegin() + (spaces.size() > 2 ? " and others" : "");
    }
    // New pods of a DaemonSet would come to the nodes.
    if (owner.kind == "daemonset") {
      std::erase_if(objects_.daemon_sets, [&](const DaemonSet& set) {
        return set.name == owner.name && strings_.view(set.name_space) == *spaces.begin();
      });
    }
    std::string error;
    for (const std::string& name : made.names) {
      if (!error.empty()) return error;
      error = made.kind == Made::Gang ? remove_gang(name) : remove_workload(name);
    }
    return error;
  }

  // An error where a gang has pods of others, too: they would go with it.
  std::string shared(const OwnerName& owner, const MadeObjects& made,
                     const std::vector<const Pod*>& pods) const {
    if (!made.by_pods) return "";
    for (const Pod* pod : pods) {
      std::string_view gang = strings_.view(pod->gang);
      bool inside = std::ranges::find(made.names, gang) != made.names.end();
      if (!inside || is_labelled(owner, *pod, strings_)) continue;
      return owner.kind + " " + owner.name + " is a part of gang " + std::string(gang) +
             ", which goes only as a whole: --remove gang/" + std::string(gang);
    }
    return "";
  }

  template <class Record>
  std::string name_of(const Record& record) const {
    return std::string(strings_.view(record.name_space)) + "/" + record.name;
  }

  template <class Record>
  std::vector<std::string> names_of(const std::vector<Record>& records) const {
    std::vector<std::string> names;
    for (const Record& record : records) names.push_back(name_of(record));
    std::sort(names.begin(), names.end());
    return names;
  }

  // Completes `key`.
  template <class Record>
  std::string erase(std::string_view kind, std::string& key, std::vector<Record>& records) {
    FoundName found = find_name(kind, key, names_of(records));
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

void close(Objects& objects, const std::set<std::string>& names) {
  for (Node& node : objects.nodes) {
    if (names.contains(node.name)) node.unschedulable = true;
  }
}

// The slots that workloads have on these nodes move, too, as for nodes that Kueue calls unhealthy.
void drain(Objects& objects, const std::set<std::string>& names) {
  close(objects, names);
  for (PodObject& object : objects.pods) {
    Pod& pod = object.pod;
    bool there = names.contains(std::string(pod.node.view()));
    if (!there || !leaves_drained_node(pod)) continue;
    put_back(pod);
    if (object.spec->replacement) become_replacement(object.spec.edit());
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

using PodNames = std::set<std::pair<StrId, std::string>>;

PodNames users_of_claims(const Objects& objects) {
  PodNames users;
  if (objects.device_claims.empty()) return users;
  for (const PodObject& object : objects.pods) {
    const Pod& pod = object.pod;
    if (pod.device_claims && occupies_node(pod.status)) {
      users.emplace(pod.name_space, std::string(pod.name.view()));
    }
  }
  return users;
}

// A claim loses its devices with the last pod that used it.
void release_claims(Objects& objects, const PodNames& before) {
  const PodNames now = users_of_claims(objects);
  for (DeviceClaim& claim : objects.device_claims) {
    size_t left = std::erase_if(claim.pods, [&](const std::string& pod) {
      std::pair name(claim.name_space, pod);
      return before.contains(name) && !now.contains(name);
    });
    if (left > 0 && claim.pods.empty() && !claim.kept) claim.claim.edit().allocation.reset();
  }
}

}  // namespace

bool leaves_drained_node(const Pod& pod) {
  return !is_of_daemon_set(pod) && !has_finished(pod.status);
}

void put_back(Pod& pod) {
  pod.status = PodStatus::Pending;
  pod.node.clear();
  pod.promised.clear();
  pod.gpu_groups.clear();
  pod.started = kNoTime;
  pod.leaving_since = kNoTime;
}

std::string apply(const PlannedChange& change, Objects& objects, StringTable& strings) {
  const PodNames users = users_of_claims(objects);
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
  release_claims(objects, users);
  return error;
}

}  // namespace trellis
