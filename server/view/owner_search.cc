#include "server/view/owner_search.h"

#include <algorithm>
#include <array>
#include <set>

namespace trellis {
namespace {

// A label with the name of an owner.
struct OwnerLabel {
  std::string_view kind;
  std::string_view key;
};

constexpr std::string_view kTrainingJob = "training.kubeflow.org/job-name";
constexpr std::array<OwnerLabel, 12> kOwnerLabels = {{
    {"job", "batch.kubernetes.io/job-name"},
    {"job", "job-name"},
    {"jobset", "jobset.sigs.k8s.io/jobset-name"},
    {"trainjob", "jobset.sigs.k8s.io/jobset-name"},
    {"leaderworkerset", "leaderworkerset.sigs.k8s.io/name"},
    {"raycluster", "ray.io/cluster"},
    {"pytorchjob", kTrainingJob},
    {"tfjob", kTrainingJob},
    {"xgboostjob", kTrainingJob},
    {"paddlejob", kTrainingJob},
    {"jaxjob", kTrainingJob},
    {"mpijob", kTrainingJob},
}};

// A kind whose gangs have more words behind the owner's name.
struct NumberedKind {
  std::string_view kind;
  int words;  // at most
  bool digits = false;
};

constexpr std::array<NumberedKind, 7> kNumberedKinds = {{{"deployment", 2},
                                                         {"replicaset", 1},
                                                         {"replicationcontroller", 1},
                                                         {"cronjob", 1, true},
                                                         {"leaderworkerset", 1, true},
                                                         {"rayjob", 2},
                                                         {"rayservice", 2}}};

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The name behind the namespace; empty where the question is about another namespace.
std::string_view own_part(const OwnerName& owner, std::string_view name) {
  size_t slash = name.find('/');
  bool elsewhere = !owner.name_space.empty() && name.substr(0, slash) != owner.name_space;
  return elsewhere ? std::string_view() : name.substr(slash + 1);
}

// Named like the owner, or with its kind before the name where several objects share the name.
std::vector<std::string> gangs_of_that_name(const OwnerName& owner,
                                            const std::vector<std::string>& gangs) {
  const std::string with_kind = owner.kind + "." + owner.name;
  std::vector<std::string> made;
  for (const std::string& name : gangs) {
    if (own_part(owner, name) == with_kind) return {name};
    if (own_part(owner, name) == owner.name) made.push_back(name);
  }
  return made;
}

// The workloads that Kueue names for the owner: KIND-NAME-HASH, or with the number of a copy before
// the hash.
std::vector<std::string> workloads_of(const OwnerName& owner,
                                      const std::vector<std::string>& workloads) {
  constexpr size_t kHash = 5;
  const std::string begin = owner.kind + "-" + owner.name + "-";
  std::vector<std::string> made;
  for (const std::string& name : workloads) {
    std::string_view own = own_part(owner, name);
    if (!own.starts_with(begin) || own.size() < begin.size() + kHash) continue;
    std::string_view copy = own.substr(begin.size(), own.size() - begin.size() - kHash);
    bool numbered = copy.ends_with('-') && is_number(copy.substr(0, copy.size() - 1));
    if (copy.empty() || numbered) made.push_back(name);
  }
  return made;
}

// Pods of a Deployment have the hash of their ReplicaSet behind the Deployment's name.
std::set<std::string_view> pods_of_others(const OwnerName& owner, const KnownObjects& known) {
  std::set<std::string_view> gangs;
  StrId hash_label = known.strings.find("pod-template-hash");
  if (owner.kind != "deployment" || !hash_label.valid()) return gangs;
  for (const Pod* pod : known.pods) {
    StrId hash = find_label(pod->labels, hash_label);
    if (!hash.valid() || !pod->gang.valid()) continue;
    std::string begin = owner.name + "-" + std::string(known.strings.view(hash)) + "-";
    if (!pod->name.view().starts_with(begin)) gangs.insert(known.strings.view(pod->gang));
  }
  return gangs;
}

std::vector<std::string> numbered_gangs(const OwnerName& owner, const KnownObjects& known) {
  std::vector<std::string> made;
  auto kind = std::ranges::find(kNumberedKinds, owner.kind, &NumberedKind::kind);
  if (kind == kNumberedKinds.end()) return made;
  const std::set<std::string_view> others = pods_of_others(owner, known);
  for (const std::string& name : known.gangs) {
    std::string_view rest = own_part(owner, name);
    if (!rest.starts_with(owner.name + "-") || others.contains(name)) continue;
    rest.remove_prefix(owner.name.size() + 1);
    bool fits = std::ranges::count(rest, '-') < kind->words && (!kind->digits || is_number(rest));
    if (fits) made.push_back(name);
  }
  return made;
}

std::vector<std::string> gangs_of_pods(const OwnerName& owner, const KnownObjects& known) {
  std::set<std::string_view> gangs;
  for (const Pod* pod : known.pods) {
    if (!pod->gang.valid() || !is_labelled(owner, *pod, known.strings)) continue;
    gangs.insert(known.strings.view(pod->gang));
  }
  std::vector<std::string> made;
  for (const std::string& name : known.gangs) {
    if (gangs.contains(name)) made.push_back(name);
  }
  return made;
}

}  // namespace

bool is_labelled(const OwnerName& owner, const Pod& pod, const StringTable& strings) {
  bool elsewhere = !owner.name_space.empty() && strings.view(pod.name_space) != owner.name_space;
  if (elsewhere) return false;
  return std::ranges::any_of(kOwnerLabels, [&](const OwnerLabel& label) {
    if (label.kind != owner.kind) return false;
    StrId value = find_label(pod.labels, strings.find(label.key));
    return value.valid() && strings.view(value) == owner.name;
  });
}

MadeObjects made_by(const OwnerName& owner, const KnownObjects& known) {
  MadeObjects made{.names = gangs_of_that_name(owner, known.gangs)};
  if (!made.names.empty()) return made;
  made.names = workloads_of(owner, known.workloads);
  if (!made.names.empty()) {
    made.kind = MadeObjects::Kind::Workload;
    return made;
  }
  made.names = numbered_gangs(owner, known);
  if (!made.names.empty()) return made;
  made.names = gangs_of_pods(owner, known);
  made.by_pods = true;
  return made;
}

std::string_view name_of(MadeObjects::Kind kind) {
  return kind == MadeObjects::Kind::Gang ? "gang" : "workload";
}

}  // namespace trellis
